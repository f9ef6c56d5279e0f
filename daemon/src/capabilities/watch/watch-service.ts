import { randomUUID } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { ByteName } from '../../core/files/byte-name.ts';
import { badRequest } from '../../core/files/file-failure.ts';
import { type FilePath, shownPath } from '../../core/files/file-path.ts';
import { ShellPaths } from '../../core/files/shell-paths.ts';
import { Registry, type Reservation } from '../../core/registry.ts';
import { type FirstChange, firstChange, type WaitRequest } from './first-change.ts';
import { PathFilter } from './path-filter.ts';
import { existingRoot } from './root-name.ts';
import type { WatchBackend } from './watch-backend.ts';
import { Watcher, type WatcherTerms } from './watcher.ts';

/** Excluded if a call does not say what to exclude. */
export const DEFAULT_EXCLUDE: readonly string[] = [
  '.git',
  'node_modules',
  '__pycache__',
  '.venv',
  '*.pyc',
  '*.pyo',
  '.DS_Store',
  '*.swp',
  '*.swo',
];

/** A wait for one event, which takes a watcher's place. */
interface OneWait {
  readonly path: FilePath;
  readonly createdAt: Date;
}

type Holder = Watcher | OneWait;

/** Watches files and directories; callers with the same configuration share one watcher. */
export class WatchService implements AsyncDisposable {
  readonly backend: WatchBackend;
  readonly paths: ShellPaths;
  readonly #registry: Registry<Holder>;
  /** By configuration, including those that are being set up. */
  readonly #byTerms = new Map<string, Promise<Watcher>>();
  readonly #closing = new AbortController();

  /** @param paths of requests */
  constructor(backend: WatchBackend, maxWatchers: number, paths = new ShellPaths()) {
    this.paths = paths;
    this.backend = backend;
    this.#registry = new Registry<Holder>({
      kind: 'watchers',
      ceiling: maxWatchers,
      hint: 'stop one with DELETE /v2/watch/{id}, or raise SVC_WATCH_MAX_WATCHERS',
      describe: describeHolder,
    });
  }

  /** Watchers, and waits for one event. */
  get count(): number {
    return this.#registry.size;
  }

  /**
   * A watcher of that configuration. It logs every change after the answer.
   * @throws FileFailure if nothing can be reached at the path, or a pattern is invalid
   * @throws SandboxError `capacity` if there are too many watchers or the system's limit is reached, `unavailable`
   *   where nothing can be watched
   */
  async create(terms: WatcherTerms): Promise<{ watcher: Watcher; reused: boolean }> {
    const root = existingRoot(terms.path);
    const key = keyOf(root, terms);
    const known = this.#byTerms.get(key);
    if (known !== undefined) {
      const watcher = await known;
      // Another caller may have released it during the wait.
      if (this.#registry.find(watcher.id) !== watcher) return this.create(terms);
      watcher.subscribers += 1;
      return { watcher, reused: true };
    }
    const opening = this.#open(this.#registry.reserve(randomUUID()), root, terms);
    this.#byTerms.set(key, opening);
    try {
      return { watcher: await opening, reused: false };
    } catch (error) {
      this.#byTerms.delete(key);
      throw this.#withHolders(error);
    }
  }

  /** @throws SandboxError `not_found` */
  get(id: string): Watcher {
    const watcher = this.#registry.find(id);
    if (watcher instanceof Watcher) return watcher;
    throw new SandboxError('not_found', `watcher not found: ${id}`, {
      hint: 'it was stopped, or the service was restarted: create it again',
    });
  }

  list(): Watcher[] {
    return this.#registry.list().filter((holder) => holder instanceof Watcher);
  }

  /** Removes one subscriber; without subscribers the watcher is stopped. @throws SandboxError `not_found` */
  async release(id: string): Promise<{ subscribers: number }> {
    const watcher = this.get(id);
    watcher.subscribers -= 1;
    if (watcher.subscribers > 0) return { subscribers: watcher.subscribers };
    this.#registry.remove(id, watcher);
    this.#byTerms.delete(keyOf(watcher.root, watcher.terms));
    await watcher[Symbol.asyncDispose]();
    return { subscribers: 0 };
  }

  /** As `firstChange`. @throws SandboxError also as `create` does for limits */
  async wait(request: WaitRequest, gone: AbortSignal): Promise<FirstChange> {
    using place = this.#registry.reserve(randomUUID());
    const wait: OneWait = { path: request.path, createdAt: new Date() };
    place.fill(wait);
    try {
      const filter = new PathFilter(DEFAULT_EXCLUDE, []);
      return await firstChange(this.backend, filter, request, AbortSignal.any([gone, this.#closing.signal]));
    } catch (error) {
      throw this.#withHolders(error);
    } finally {
      this.#registry.remove(place.id, wait);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const watchers = this.list();
    this.#registry.clear();
    this.#byTerms.clear();
    await this.backend[Symbol.asyncDispose]();
    await Promise.all(watchers.map((watcher) => watcher[Symbol.asyncDispose]()));
  }

  async #open(place: Reservation<Holder>, root: ByteName, terms: WatcherTerms): Promise<Watcher> {
    using _place = place;
    const filter = filterOf(terms);
    const watcher = new Watcher(place.id, root, terms);
    try {
      watcher.feedFrom(await this.backend.watch({ root, recursive: terms.recursive, filter }, watcher));
      this.#closing.signal.throwIfAborted();
    } catch (error) {
      await watcher[Symbol.asyncDispose]();
      throw error;
    }
    place.fill(watcher);
    return watcher;
  }

  /** All watchers share the system's limit, so a failure at that limit lists them. */
  #withHolders(error: unknown): unknown {
    if (!(error instanceof SandboxError) || error.kind !== 'capacity') return error;
    const { data, ...details } = error.details;
    const named = typeof data === 'object' ? { ...data, holders: this.#registry.holders() } : data;
    return new SandboxError('capacity', error.message, { ...details, data: named });
  }
}

function describeHolder(id: string, holder: Holder): object {
  const isWatcher = holder instanceof Watcher;
  return {
    watcherId: isWatcher ? id : null,
    path: shownPath(isWatcher ? holder.terms.path : holder.path),
    subscribers: isWatcher ? holder.subscribers : 1,
    createdAt: holder.createdAt.toISOString(),
  };
}

function filterOf({ exclude, include, path }: WatcherTerms): PathFilter {
  try {
    return new PathFilter(exclude, include);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw badRequest(`a pattern ${error.message}`, 'watch', shownPath(path));
  }
}

function keyOf(root: ByteName, { recursive, debounceMs, exclude, include }: WatcherTerms): string {
  return JSON.stringify([root, recursive, debounceMs, [...exclude].sort(), [...include].sort()]);
}

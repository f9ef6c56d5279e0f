import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { SandboxError } from '../../core/errors.ts';
import { type ByteName, byteNameOf, bytesOf } from '../../core/files/byte-name.ts';
import { asFileFailure, badRequest } from '../../core/files/file-failure.ts';
import { bytesOfPath, type FilePath, shownPath } from '../../core/files/file-path.ts';
import { type Change, type ChangeType, changeOf } from './change.ts';
import type { WatchEvent } from './event-log.ts';
import { PathFilter } from './path-filter.ts';
import type { WatchBackend } from './watch-backend.ts';
import { eventOf, Watcher, type WatcherTerms } from './watcher.ts';

/** Left out where a call says nothing of it. */
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

export interface WaitRequest {
  readonly path: FilePath;
  readonly types: readonly ChangeType[];
  /** Seconds. */
  readonly timeout: number;
}

interface Waiting {
  readonly path: FilePath;
  readonly startedAt: Date;
}

/** Watches files and directories for whoever asks; the same configuration is watched once. */
export class WatchService implements AsyncDisposable {
  readonly backend: WatchBackend;
  readonly #maxWatchers: number;
  readonly #watchers = new Map<string, Watcher>();
  /** By configuration, also those that are still being set up. */
  readonly #byTerms = new Map<string, Promise<Watcher>>();
  readonly #waits = new Set<Waiting>();
  readonly #closing = new AbortController();

  constructor(backend: WatchBackend, maxWatchers: number) {
    this.backend = backend;
    this.#maxWatchers = maxWatchers;
  }

  /** Watchers, and waits for one event. */
  get count(): number {
    return this.#byTerms.size + this.#waits.size;
  }

  /**
   * A watcher of that configuration: everything that happens after the answer is seen.
   * @throws FileFailure where there is nothing at the path, or a pattern is none
   * @throws SandboxError `capacity` where there are too many watchers or the system's limit is reached, `unavailable`
   */
  async create(terms: WatcherTerms): Promise<{ watcher: Watcher; reused: boolean }> {
    const root = requireRoot(terms.path);
    const key = keyOf(root, terms);
    const known = this.#byTerms.get(key);
    if (known !== undefined) {
      const watcher = await known;
      // It may have been released while it was waited for.
      if (this.#watchers.get(watcher.id) !== watcher) return this.create(terms);
      watcher.subscribers += 1;
      return { watcher, reused: true };
    }
    this.#refuseBeyondCeiling();
    const opening = this.#open(root, terms);
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
    const watcher = this.#watchers.get(id);
    if (watcher) return watcher;
    throw new SandboxError('not_found', `there is no watcher with id ${id}`, {
      hint: 'it was stopped, or the service was started anew: create it again',
    });
  }

  list(): Watcher[] {
    return [...this.#watchers.values()];
  }

  /** One subscriber less; the watcher of none is stopped. @throws SandboxError `not_found` */
  async release(id: string): Promise<{ subscribers: number }> {
    const watcher = this.get(id);
    watcher.subscribers -= 1;
    if (watcher.subscribers > 0) return { subscribers: watcher.subscribers };
    this.#watchers.delete(id);
    this.#byTerms.delete(keyOf(watcher.root, watcher.terms));
    await watcher[Symbol.asyncDispose]();
    return { subscribers: 0 };
  }

  /**
   * The first change of these types at or below a path, which need not exist. Where something is there and `create` is
   * asked for, that is the answer at once.
   * @throws SandboxError `unavailable` where nothing came in time; otherwise as `create`
   */
  async wait({ path, types, timeout }: WaitRequest, gone: AbortSignal): Promise<{ root: ByteName; event: WatchEvent }> {
    const root = rootOf(path);
    const first = Promise.withResolvers<Change | undefined>();
    const accept = (change: Change): void => {
      if (types.includes(change.type)) first.resolve(change);
    };
    const acceptExisting = (): void => {
      const stat = statOf(root);
      if (stat) accept(changeOf('create', '', stat.isDirectory()));
    };
    this.#refuseBeyondCeiling();
    const waiting = { path, startedAt: new Date() };
    this.#waits.add(waiting);
    const ended = AbortSignal.any([gone, this.#closing.signal, AbortSignal.timeout(timeout * 1000)]);
    ended.addEventListener('abort', () => first.resolve(undefined), { once: true });
    try {
      const filter = new PathFilter(DEFAULT_EXCLUDE, []);
      await using _source = await this.backend.watch(
        { root, recursive: true, filter },
        { change: accept, lost: acceptExisting },
      );
      acceptExisting();
      const change = await first.promise;
      if (change) return { root, event: { ...eventOf(root, change), seq: 1 } };
      throw new SandboxError('unavailable', `nothing of ${types.join(', ')} happened at ${shownPath(path)} in time`, {
        hint: 'wait again, longer, or for other events',
      });
    } catch (error) {
      throw this.#withHolders(error);
    } finally {
      this.#waits.delete(waiting);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const watchers = this.list();
    this.#watchers.clear();
    this.#byTerms.clear();
    await this.backend[Symbol.asyncDispose]();
    await Promise.all(watchers.map((watcher) => watcher[Symbol.asyncDispose]()));
  }

  async #open(root: ByteName, terms: WatcherTerms): Promise<Watcher> {
    const filter = filterOf(terms);
    const watcher = new Watcher(randomUUID(), root, terms);
    try {
      watcher.feedFrom(await this.backend.watch({ root, recursive: terms.recursive, filter }, watcher));
      this.#closing.signal.throwIfAborted();
    } catch (error) {
      await watcher[Symbol.asyncDispose]();
      throw error;
    }
    this.#watchers.set(watcher.id, watcher);
    return watcher;
  }

  #refuseBeyondCeiling(): void {
    if (this.count < this.#maxWatchers) return;
    throw new SandboxError('capacity', `there are ${this.count} watchers, the ceiling is ${this.#maxWatchers}`, {
      hint: 'stop one with DELETE /v2/watch/{id}, or raise SVC_WATCH_MAX_WATCHERS',
      data: { holders: this.#holders() },
    });
  }

  #holders(): object[] {
    const watchers = this.list().map(({ id, terms, subscribers, createdAt }) => ({
      watcherId: id,
      path: shownPath(terms.path),
      subscribers,
      createdAt: createdAt.toISOString(),
    }));
    const waits = [...this.#waits].map(({ path, startedAt }) => ({
      watcherId: null,
      path: shownPath(path),
      subscribers: 1,
      createdAt: startedAt.toISOString(),
    }));
    return [...watchers, ...waits];
  }

  /** The limit of the system is shared by all watchers: whoever meets it learns of them. */
  #withHolders(error: unknown): unknown {
    if (!(error instanceof SandboxError) || error.kind !== 'capacity') return error;
    const { data, ...details } = error.details;
    const named = typeof data === 'object' ? { ...data, holders: this.#holders() } : data;
    return new SandboxError('capacity', error.message, { ...details, data: named });
  }
}

/** Without repeated and trailing slashes and single dots, so that one place has one name. */
function rootOf(path: FilePath): ByteName {
  const names = byteNameOf(bytesOfPath(path)).split('/');
  return `/${names.filter((name) => name !== '' && name !== '.').join('/')}`;
}

function requireRoot(path: FilePath): ByteName {
  const root = rootOf(path);
  try {
    statSync(bytesOf(root));
  } catch (error) {
    throw asFileFailure(error, 'watch', shownPath(path));
  }
  return root;
}

function statOf(root: ByteName) {
  try {
    return statSync(bytesOf(root), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
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

import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Watch, WatchedChange, WatchPort } from '../../../core/ports/watch-port.ts';
import type { Given } from '../../../http/rpc/wire-types.ts';
import type { NamedUser } from '../accounts.ts';
import { EVENT_TYPES, type FilesystemEvent } from '../wire/filesystem.ts';
import { entryOf } from './entries.ts';

type Event = Given<typeof FilesystemEvent>;

/** Watchers that clients poll, and milliseconds after which one that is not polled is forgotten. */
const MAX_POLLED = 100;
const UNPOLLED_MS = 3_600_000;
/** Milliseconds that a poll waits for a change that has just been made, and then for those that follow it. */
const POLL_MS = 200;
/** Longer than changes of one path are gathered, so that a poll has all that was made before it. */
const SETTLED_MS = 100;
const SETTLED_MAX_MS = 1000;
const WAIT_MS = 60_000;

export interface WatchTerms {
  /** Absolute. */
  readonly path: string;
  readonly recursive: boolean;
  readonly includeEntry: boolean;
}

interface EventTerms extends WatchTerms {
  readonly namedUser: NamedUser | undefined;
}

interface Polled {
  readonly watch: Watch;
  readonly terms: WatchTerms;
  usedAt: number;
}

/** Directories that clients watch, by streams and by polls. */
export class Watches implements AsyncDisposable {
  readonly #port: WatchPort;
  readonly #namedUser: () => NamedUser | undefined;
  readonly #polled = new Map<string, Polled>();
  readonly #sweeper: NodeJS.Timeout;

  /** @param namedUser whose owner and group entries report as `user` */
  constructor(port: WatchPort, namedUser: () => NamedUser | undefined) {
    this.#port = port;
    this.#namedUser = namedUser;
    this.#sweeper = setInterval(() => void this.#sweep(), WAIT_MS).unref();
  }

  /** The changes as they come, until the signal fires. */
  async *stream(terms: WatchTerms, signal: AbortSignal): AsyncGenerator<Event | 'started' | 'idle'> {
    await using watch = await this.#open(terms);
    yield 'started';
    while (!signal.aborted)
      for (const change of await watch.next(WAIT_MS, signal)) yield* this.#eventsOf(terms, change);
  }

  /** @throws SandboxError `capacity` */
  async create(terms: WatchTerms): Promise<string> {
    if (this.#polled.size >= MAX_POLLED) throw new SandboxError('capacity', `${MAX_POLLED} watchers are open`);
    const id = `w${randomBytes(8).toString('hex')}`;
    const watch = await this.#open(terms);
    this.#polled.set(id, { watch, terms, usedAt: performance.now() });
    return id;
  }

  /** The changes since the last poll. @throws SandboxError `not_found` */
  async poll(id: string, signal: AbortSignal): Promise<Event[]> {
    const polled = this.#get(id);
    polled.usedAt = performance.now();
    const first = await polled.watch.next(POLL_MS, signal);
    const changes = [...first];
    const deadline = performance.now() + SETTLED_MAX_MS;
    for (let more = first; more.length > 0 && performance.now() < deadline; changes.push(...more)) {
      more = await polled.watch.next(SETTLED_MS, signal);
    }
    return changes.flatMap((change) => [...this.#eventsOf(polled.terms, change)]);
  }

  async remove(id: string): Promise<void> {
    const { watch } = this.#get(id);
    this.#polled.delete(id);
    await watch[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweeper);
    this.#polled.clear();
  }

  #eventsOf(terms: WatchTerms, change: WatchedChange): Generator<Event> {
    return eventsOf({ ...terms, namedUser: terms.includeEntry ? this.#namedUser() : undefined }, change);
  }

  #get(id: string): Polled {
    const polled = this.#polled.get(id);
    if (polled) return polled;
    throw new SandboxError('not_found', `watcher with id ${id} not found`);
  }

  async #open({ path, recursive }: WatchTerms): Promise<Watch> {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile()) throw new SandboxError('invalid', `path ${path} is not a directory`);
    return await this.#port.watch(path, recursive);
  }

  async #sweep(): Promise<void> {
    const before = performance.now() - UNPOLLED_MS;
    for (const [id, { usedAt }] of this.#polled) if (usedAt < before) await this.remove(id);
  }
}

const TYPES: Readonly<Record<WatchedChange['type'], number>> = {
  create: EVENT_TYPES.EVENT_TYPE_CREATE,
  write: EVENT_TYPES.EVENT_TYPE_WRITE,
  remove: EVENT_TYPES.EVENT_TYPE_REMOVE,
  rename: EVENT_TYPES.EVENT_TYPE_RENAME,
  chmod: EVENT_TYPES.EVENT_TYPE_CHMOD,
};

/**
 * The events of envd for a change: a rename is one of the former name and the creation of the new one, and a file that
 * appears with content was written too, as an upload that replaces its file is.
 */
function* eventsOf(terms: EventTerms, { type, path, oldPath }: WatchedChange): Generator<Event> {
  // The directory itself was there before the watch.
  if (type === 'create' && path === '') return;
  if (type === 'rename') {
    if (oldPath !== null) yield { name: oldPath, type: TYPES.rename };
    yield eventOf(terms, path, TYPES.create);
    return;
  }
  yield eventOf(terms, path, TYPES[type]);
  if (type === 'create' && hasContent(posix.join(terms.path, path))) yield eventOf(terms, path, TYPES.write);
}

function eventOf({ path: root, includeEntry, namedUser }: EventTerms, name: string, type: number): Event {
  const isGone = type === TYPES.remove;
  const stats = includeEntry && !isGone ? statsOf(posix.join(root, name)) : undefined;
  return { name, type, ...(stats && { entry: entryOf(posix.join(root, name), stats, namedUser) }) };
}

function hasContent(path: string): boolean {
  const stats = statsOf(path);
  return stats?.isFile() === true && stats.size > 0;
}

function statsOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

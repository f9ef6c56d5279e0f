import { lstatSync } from 'node:fs';
import { type ByteName, bytesOf } from '../../core/files/byte-name.ts';
import type { FilePath } from '../../core/files/file-path.ts';
import { yieldToEventLoop } from '../../core/turns.ts';
import type { Change, ChangeSink, LossReason } from './change.ts';
import { Debouncer } from './debouncer.ts';
import { EventLog, type WatchEvent } from './event-log.ts';

/** Events of a watcher that are kept. */
export const EVENTS_KEPT = 10_000;
/** Changes that wait to be looked at; with more of them there is no keeping up. */
const MAX_QUEUED = 2 * EVENTS_KEPT;
const LOOKS_AT_ONCE = 64;

export interface WatcherTerms {
  readonly path: FilePath;
  readonly recursive: boolean;
  /** Milliseconds. */
  readonly debounceMs: number;
  readonly exclude: readonly string[];
  readonly include: readonly string[];
}

type Told = Omit<WatchEvent, 'seq'>;

/** One configuration that is watched, with what was seen so far; shared by all who asked for it. */
export class Watcher implements ChangeSink, AsyncDisposable {
  readonly id: string;
  readonly terms: WatcherTerms;
  readonly root: ByteName;
  readonly createdAt = new Date();
  readonly log = new EventLog(EVENTS_KEPT);
  subscribers = 1;
  readonly #debouncer: Debouncer;
  #queue: (Change | LossReason)[] = [];
  #isTelling = false;
  #source: AsyncDisposable | undefined;

  constructor(id: string, root: ByteName, terms: WatcherTerms) {
    this.id = id;
    this.root = root;
    this.terms = terms;
    this.#debouncer = new Debouncer(terms.debounceMs, (changes) => this.#enqueue(changes));
  }

  /** Where its changes come from; disposed with it. */
  feedFrom(source: AsyncDisposable): void {
    this.#source = source;
  }

  change(change: Change): void {
    this.#debouncer.add(change);
  }

  lost(reason: LossReason): void {
    this.#debouncer.flush();
    this.#enqueue([reason]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#debouncer[Symbol.dispose]();
    this.#queue = [];
    this.log.close();
    await this.#source?.[Symbol.asyncDispose]();
  }

  #enqueue(items: readonly (Change | LossReason)[]): void {
    if (this.log.isClosed) return;
    if (this.#queue.length + items.length > MAX_QUEUED) this.#queue = ['too_many_events'];
    else for (const item of items) this.#queue.push(item);
    if (!this.#isTelling) void this.#tell();
  }

  /** Looks at what changed and puts it into the log, in its order. */
  async #tell(): Promise<void> {
    this.#isTelling = true;
    while (this.#queue.length > 0) {
      const items = this.#queue.splice(0, LOOKS_AT_ONCE);
      let events: Told[] = [];
      for (const item of items) {
        if (typeof item !== 'string') events.push(eventOf(this.root, item));
        else {
          this.log.addEvents(events);
          events = [];
          this.log.addLoss(item);
        }
      }
      this.log.addEvents(events);
      await yieldToEventLoop();
    }
    this.#isTelling = false;
  }
}

export function absoluteName(root: ByteName, path: ByteName): ByteName {
  if (path === '') return root;
  return root === '/' ? `/${path}` : `${root}/${path}`;
}

/** The change with what the file is like now. */
export function eventOf(root: ByteName, change: Change): Told {
  const nothing = { ...change, mtime: null, size: null, inode: null };
  if (change.type === 'remove') return nothing;
  try {
    const stat = lstatSync(bytesOf(absoluteName(root, change.path)), { throwIfNoEntry: false });
    return stat === undefined ? nothing : { ...change, mtime: stat.mtimeMs / 1000, size: stat.size, inode: stat.ino };
  } catch {
    return nothing;
  }
}

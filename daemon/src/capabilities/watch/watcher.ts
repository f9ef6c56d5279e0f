import { EventLog, type LogEntry } from '../../core/event-log.ts';
import type { ByteName } from '../../core/files/byte-name.ts';
import type { FilePath } from '../../core/files/file-path.ts';
import { yieldToEventLoop } from '../../core/turns.ts';
import type { Change, ChangeSink, LossReason } from './change.ts';
import { Debouncer } from './debouncer.ts';
import { eventOf, type WatchEvent } from './watch-event.ts';

/** Events that a watcher keeps. */
export const EVENTS_KEPT = 10_000;
/** Changes that may wait to be logged; with more, the watcher cannot keep up and reports a loss. */
const MAX_QUEUED = 2 * EVENTS_KEPT;
/** Changes that are logged before the event loop runs other work. */
const BATCH = 64;

export interface WatcherTerms {
  readonly path: FilePath;
  readonly recursive: boolean;
  /** Milliseconds. */
  readonly debounceMs: number;
  readonly exclude: readonly string[];
  readonly include: readonly string[];
}

/** Which events a reader gets, and how long it waits for the first. */
export interface ReadRequest {
  /** Number of the last event that the reader has; one beyond the newest counts as the newest. */
  readonly cursor: number;
  readonly limit: number;
  /** Milliseconds; 0: not at all. */
  readonly waitMs: number;
}

/** One watched configuration with its events; all callers that asked for it share it. */
export class Watcher implements ChangeSink, AsyncDisposable {
  readonly id: string;
  readonly terms: WatcherTerms;
  readonly root: ByteName;
  readonly createdAt = new Date();
  readonly log = new EventLog<WatchEvent>({ entries: EVENTS_KEPT });
  subscribers = 1;
  readonly #debouncer: Debouncer;
  #queue: (Change | LossReason)[] = [];
  #isLogging = false;
  #source: AsyncDisposable | undefined;

  constructor(id: string, root: ByteName, terms: WatcherTerms) {
    this.id = id;
    this.root = root;
    this.terms = terms;
    this.#debouncer = new Debouncer(terms.debounceMs, (changes) => this.#enqueue(changes));
  }

  /** The source of its changes; disposed with it. */
  feedFrom(source: AsyncDisposable): void {
    this.#source = source;
  }

  /** Events after a cursor, and the cursor to continue from; none after `waitMs`, or when the signal fires. */
  async read(
    { cursor, limit, waitMs }: ReadRequest,
    signal: AbortSignal,
  ): Promise<{ readonly entries: LogEntry<WatchEvent>[]; readonly cursor: number }> {
    const from = Math.min(cursor, this.log.last);
    if (waitMs > 0) await this.log.moreThan(from, { ms: waitMs, signal });
    const entries = this.log.after(from, limit);
    return { entries, cursor: entries.at(-1)?.seq ?? from };
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
    if (!this.#isLogging) void this.#logQueued();
  }

  /** Logs the queued changes in their order, each with the state of its file. */
  async #logQueued(): Promise<void> {
    this.#isLogging = true;
    while (this.#queue.length > 0) {
      let events: WatchEvent[] = [];
      for (const item of this.#queue.splice(0, BATCH)) {
        if (typeof item !== 'string') events.push(eventOf(this.root, item));
        else {
          this.log.add(events);
          events = [];
          this.log.addLoss(item);
        }
      }
      this.log.add(events);
      await yieldToEventLoop();
    }
    this.#isLogging = false;
  }
}

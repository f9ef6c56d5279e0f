import { type WaitBounds, Waiters } from '@sandbox/api/wait.ts';

/** An entry of a log with its number, from 1 on. */
export type Numbered<T> = T & { readonly seq: number };

/** Stands in the log for entries that were lost; where the log itself dropped them, in place of the newest of them. */
export interface Loss {
  readonly seq: number;
  readonly reason: string;
}

/** An entry of a log, as readers get it. */
export type LogEntry<T> = Numbered<T> | Loss;

export function isLoss<T extends object>(entry: LogEntry<T>): entry is Loss {
  return 'reason' in entry;
}

/** Bounds of what a log keeps: a number of entries and, if they have a size, of bytes. */
export interface EventLogLimits<T> {
  readonly entries: number;
  readonly bytes?: number;
  /** Bytes of an entry; a loss has none. */
  readonly sizeOf?: (entry: T) => number;
}

/** Reason of the loss that a reader gets for entries that are no longer kept. */
const TOO_MANY = 'too_many_events';

/**
 * The newest entries of a sequence of events, by number. Readers pull at their own pace, so that a slow reader costs
 * nothing; a reader that has fallen behind the kept entries gets a loss first. An entry has no field `reason`.
 */
export class EventLog<T extends object & { readonly reason?: never }> {
  readonly #limits: EventLogLimits<T>;
  readonly #entries = new Map<number, { readonly entry: LogEntry<T>; readonly bytes: number }>();
  readonly #waiters = new Waiters();
  #bytes = 0;
  #last = 0;
  #firstKept = 1;
  #closed = false;

  constructor(limits: EventLogLimits<T>) {
    this.#limits = limits;
  }

  /** Number of the newest entry; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** Number of the oldest entry that is kept; of the first to come in an empty log. */
  get firstKept(): number {
    return this.#firstKept;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  add(entries: readonly T[]): void {
    for (const entry of entries) this.#append({ ...entry, seq: this.#last + 1 }, this.#limits.sizeOf?.(entry) ?? 0);
    this.#waiters.wake();
  }

  addLoss(reason: string): void {
    this.#append({ seq: this.#last + 1, reason }, 0);
    this.#waiters.wake();
  }

  /** Entries after the number `cursor`, oldest first, at most `limit` beside the loss of a reader that fell behind. */
  after(cursor: number, limit: number): LogEntry<T>[] {
    const entries: LogEntry<T>[] = [];
    let next = cursor + 1;
    if (next < this.#firstKept) {
      entries.push({ seq: this.#firstKept - 1, reason: TOO_MANY });
      next = this.#firstKept;
    }
    for (; next <= this.#last && entries.length < limit; next += 1) {
      const kept = this.#entries.get(next);
      if (kept) entries.push(kept.entry);
    }
    return entries;
  }

  /** Resolves when there is an entry after `cursor`, the log is closed, or a bound ends the wait. */
  async moreThan(cursor: number, bounds: WaitBounds): Promise<void> {
    const deadline = performance.now() + (bounds.ms ?? Number.POSITIVE_INFINITY);
    while (this.#last <= cursor && !this.#closed) {
      const left = bounds.ms === undefined ? undefined : deadline - performance.now();
      const end = await this.#waiters.next({ ...bounds, ...(left !== undefined && { ms: left }) } as WaitBounds);
      if (end !== 'settled') return;
    }
  }

  /** Wakes all waiting readers; their waits end from now on at once. */
  close(): void {
    this.#closed = true;
    this.#waiters.wake();
  }

  #append(entry: LogEntry<T>, bytes: number): void {
    this.#last = entry.seq;
    this.#entries.set(entry.seq, { entry, bytes });
    this.#bytes += bytes;
    const { entries, bytes: most = Number.POSITIVE_INFINITY } = this.#limits;
    while (this.#entries.size > entries || (this.#bytes > most && this.#entries.size > 1)) this.#dropOldest();
  }

  #dropOldest(): void {
    this.#bytes -= this.#entries.get(this.#firstKept)?.bytes ?? 0;
    this.#entries.delete(this.#firstKept);
    this.#firstKept += 1;
  }
}

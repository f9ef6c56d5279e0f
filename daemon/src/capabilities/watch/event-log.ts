import type { Change, LossReason } from './change.ts';

/** A change with what the file was like when it was told. */
export interface WatchEvent extends Change {
  readonly seq: number;
  /** Seconds since 1970; null where it is gone. */
  readonly mtime: number | null;
  readonly size: number | null;
  readonly inode: number | null;
}

interface Loss {
  readonly seq: number;
  readonly reason: LossReason;
}

export type LogEntry = WatchEvent | Loss;

export function isLoss(entry: LogEntry): entry is Loss {
  return 'reason' in entry;
}

/** The newest events of a watcher, by sequence number from 1 on. Readers pull; the one who writes never waits. */
export class EventLog {
  readonly #capacity: number;
  readonly #entries: LogEntry[] = [];
  readonly #waiting = new Set<() => void>();
  #last = 0;
  #closed = false;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Sequence number of the newest entry; 0 where there is none yet. */
  get last(): number {
    return this.#last;
  }

  get firstKept(): number {
    return Math.max(1, this.#last - this.#capacity + 1);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  addEvents(events: readonly Omit<WatchEvent, 'seq'>[]): void {
    for (const event of events) this.#add({ ...event, seq: this.#last + 1 });
    this.#wake();
  }

  addLoss(reason: LossReason): void {
    this.#add({ seq: this.#last + 1, reason });
    this.#wake();
  }

  /**
   * What came after `cursor`, at most `limit` entries. A reader that has fallen behind what is kept gets a loss first,
   * which stands in the place of the newest entry that is gone.
   */
  after(cursor: number, limit: number): LogEntry[] {
    const oldest = this.firstKept;
    const entries: LogEntry[] = [];
    let next = cursor + 1;
    if (next < oldest) {
      entries.push({ seq: oldest - 1, reason: 'too_many_events' });
      next = oldest;
    }
    for (; next <= this.#last && entries.length < limit; next += 1) {
      const entry = this.#entryAt(next);
      if (entry) entries.push(entry);
    }
    return entries;
  }

  /** Resolves when there is something after `cursor`, the log is closed, or the signal is aborted. */
  async moreThan(cursor: number, signal: AbortSignal): Promise<void> {
    while (this.#last <= cursor && !this.#closed && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = (): void => resolve();
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
      await promise;
      signal.removeEventListener('abort', wake);
      this.#waiting.delete(wake);
    }
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #add(entry: LogEntry): void {
    this.#last += 1;
    this.#entries[this.#last % this.#capacity] = entry;
  }

  #entryAt(seq: number): LogEntry | undefined {
    return this.#entries[seq % this.#capacity];
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

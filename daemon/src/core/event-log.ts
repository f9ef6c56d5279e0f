import { type WaitBounds, Waiters } from './wait.ts';

/** An entry of a log with its number, from 1 on. */
export type Numbered<T> = T & { readonly seq: number };

/** Stands for entries that are gone, in the place of the newest of them. */
export interface Loss {
  readonly seq: number;
  readonly reason: string;
}

/** What a log keeps: at most so many entries and, where they have a size, so many bytes. */
export interface EventLogLimits<T> {
  readonly entries: number;
  readonly bytes?: number;
  readonly sizeOf?: (entry: T) => number;
}

/** Why entries that a reader asked for are not kept any more. */
const TOO_MANY = 'too_many_events';

/**
 * The newest entries of something that happens, by number. Readers pull at their own pace, so that one that stands
 * still costs nothing; a reader that has fallen behind what is kept gets a loss first.
 */
export class EventLog<T extends object> {
  readonly #limits: EventLogLimits<T>;
  readonly #entries = new Map<number, { readonly entry: Numbered<T> | Loss; readonly bytes: number }>();
  readonly #waiters = new Waiters();
  #bytes = 0;
  #last = 0;
  #firstKept = 1;
  #closed = false;

  constructor(limits: EventLogLimits<T>) {
    this.#limits = limits;
  }

  /** Number of the newest entry; 0 where there is none yet. */
  get last(): number {
    return this.#last;
  }

  get firstKept(): number {
    return this.#firstKept;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  add(...entries: readonly T[]): void {
    for (const entry of entries) this.#append({ ...entry, seq: this.#last + 1 }, this.#limits.sizeOf?.(entry) ?? 0);
    this.#waiters.wake();
  }

  addLoss(reason: string): void {
    this.#append({ seq: this.#last + 1, reason }, 0);
    this.#waiters.wake();
  }

  /** What came after the number `cursor`, oldest first, at most `limit` entries. */
  after(cursor: number, limit: number): (Numbered<T> | Loss)[] {
    const entries: (Numbered<T> | Loss)[] = [];
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

  /** Resolves when there is something after `cursor`, the log is closed, or a bound ends the wait. */
  async moreThan(cursor: number, bounds: WaitBounds): Promise<void> {
    const deadline = performance.now() + (bounds.ms ?? Number.POSITIVE_INFINITY);
    while (this.#last <= cursor && !this.#closed) {
      const left = bounds.ms === undefined ? undefined : deadline - performance.now();
      const end = await this.#waiters.next({ ...bounds, ...(left !== undefined && { ms: left }) } as WaitBounds);
      if (end !== 'settled') return;
    }
  }

  /** Nothing more is added; those who wait are woken. */
  close(): void {
    this.#closed = true;
    this.#waiters.wake();
  }

  #append(entry: Numbered<T> | Loss, bytes: number): void {
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

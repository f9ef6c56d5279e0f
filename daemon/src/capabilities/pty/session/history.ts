import { Waiters } from '@sandbox/api/wait.ts';
import type { ByteLog, Slice } from '../../../core/output/byte-log.ts';

interface Part {
  /** Offset of the session at which this log begins. */
  readonly base: number;
  readonly log: ByteLog;
}

/** A read of a history. */
interface HistorySlice extends Slice {
  /** Nothing is left at the offset and nothing follows. */
  readonly isOver: boolean;
}

/** The output of a session: the logs of its shells, one after the other, under continuous offsets. */
export class History {
  readonly #cap: number;
  readonly #parts: Part[] = [];
  /** Wait for the next shell, or for the end. */
  readonly #waiters = new Waiters();
  #closed = false;

  /** `cap`: bytes that are kept of all shells together. The log that is being written has a bound of its own. */
  constructor(cap: number) {
    this.#cap = cap;
  }

  /** Offset of the oldest byte that is kept. */
  get first(): number {
    const kept = this.#parts.find(({ log }) => log.first < log.end) ?? this.#parts.at(-1);
    return kept === undefined ? 0 : kept.base + kept.log.first;
  }

  /** Offset after the last byte. */
  get end(): number {
    const last = this.#parts.at(-1);
    return last === undefined ? 0 : last.base + last.log.end;
  }

  /** The output is complete. */
  get closed(): boolean {
    return this.#closed && (this.#parts.at(-1)?.log.sealed ?? true);
  }

  /** Adds the output of another shell; that of the last one is complete. */
  append(log: ByteLog, base: number = this.end): void {
    this.#parts.push({ base, log });
    this.#trim();
    this.#waiters.wake();
  }

  /** The last shell has ended. */
  close(): void {
    this.#closed = true;
    this.#waiters.wake();
  }

  /** As `ByteLog.read`; that it is over is judged before the bytes are looked for, so that none after them is missed. */
  async read(offset: number, limit: number, into?: Buffer): Promise<HistorySlice> {
    const isOver = this.closed;
    let reached: number | undefined;
    for (const { base, log } of this.#parts) {
      if (base + log.end <= offset) continue;
      const slice = await log.read(offset - base, limit, into);
      reached = base + slice.offset;
      if (slice.bytes.length > 0) return { offset: reached, bytes: slice.bytes, isOver: false };
    }
    // Not the end of now, after the reads: what came meanwhile has not been looked for.
    return { offset: reached ?? this.end, bytes: Buffer.alloc(0), isOver };
  }

  /** Resolves when there is output past `offset`, the output is complete, or the signal fired; never rejects. */
  async advanced(offset: number, signal: AbortSignal): Promise<void> {
    while (this.end <= offset && !this.closed && !signal.aborted) {
      const last = this.#parts.at(-1);
      if (last === undefined || last.log.sealed) await this.#waiters.next({ signal });
      else await last.log.advanced(offset - last.base, signal);
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.#parts.map(({ log }) => log.remove()));
  }

  #trim(): void {
    let excess = this.#parts.reduce((sum, { log }) => sum + log.retainedBytes, 0) - this.#cap;
    while (this.#parts.length > 1 && excess > 0) {
      const oldest = this.#parts[0];
      const dropped = oldest?.log.dropOldest() ?? 0;
      if (dropped === 0) this.#parts.shift();
      excess -= dropped;
    }
  }
}

import type { ByteLog, Slice } from '../../../core/output/byte-log.ts';

interface Part {
  /** Offset of the session at which this log begins. */
  readonly base: number;
  readonly log: ByteLog;
}

/** What came out of a session: the logs of its shells, one after the other, under offsets that go on. */
export class History {
  readonly #cap: number;
  readonly #parts: Part[] = [];
  readonly #waiters = new Set<() => void>();
  #closed = false;

  /** `cap`: bytes that are kept of all shells together; what is being written is bounded by its own log. */
  constructor(cap: number) {
    this.#cap = cap;
  }

  get first(): number {
    const kept = this.#parts.find(({ log }) => log.first < log.end) ?? this.#parts.at(-1);
    return kept === undefined ? 0 : kept.base + kept.log.first;
  }

  get end(): number {
    const last = this.#parts.at(-1);
    return last === undefined ? 0 : last.base + last.log.end;
  }

  /** Nothing more will come. */
  get closed(): boolean {
    return this.#closed && (this.#parts.at(-1)?.log.sealed ?? true);
  }

  /** The output of another shell follows; that of the last one is at its end. */
  append(log: ByteLog, base: number = this.end): void {
    this.#parts.push({ base, log });
    this.#trim();
    this.#wake();
  }

  /** No other shell follows. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** As `ByteLog.read`. */
  async read(offset: number, limit: number, into?: Buffer): Promise<Slice> {
    for (const { base, log } of this.#parts) {
      if (base + log.end <= offset) continue;
      const slice = await log.read(offset - base, limit, into);
      if (slice.bytes.length > 0) return { offset: base + slice.offset, bytes: slice.bytes };
    }
    return { offset: this.end, bytes: Buffer.alloc(0) };
  }

  /** Resolves when there is something past `offset`, nothing more will come, or the signal fired; never rejects. */
  async advanced(offset: number, signal?: AbortSignal): Promise<void> {
    while (this.end <= offset && !this.closed && !signal?.aborted) {
      const last = this.#parts.at(-1);
      if (last === undefined || last.log.sealed) await this.#changed(signal);
      else await last.log.advanced(offset - last.base, signal);
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.#parts.map(({ log }) => log.remove()));
  }

  #changed(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        this.#waiters.delete(settle);
        signal?.removeEventListener('abort', settle);
        resolve();
      };
      this.#waiters.add(settle);
      signal?.addEventListener('abort', settle, { once: true });
    });
  }

  #wake(): void {
    for (const settle of [...this.#waiters]) settle();
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

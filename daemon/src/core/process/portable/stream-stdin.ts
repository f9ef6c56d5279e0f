import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { StdinCount, StdinSink } from '../stdin/stdin-sink.ts';

/** The most bytes that wait in the daemon for one process, and for all. */
const PROCESS_BYTES = 8 * 1024 * 1024;
const ALL_BYTES = 64 * 1024 * 1024;
/** Room that a process always has, whatever the others hold. */
const OWN_BYTES = 4096;

const TURNS = 2;

/** Bytes that wait for all processes of this daemon. */
const pool = { bytes: 0 };

/** The stdin of a child of the daemon: bytes wait in the daemon, and are lost with it, as the child is. */
export class StreamStdin implements StdinSink {
  readonly #stream: Writable;
  #held = 0;
  #taken = 0;
  #dropped = 0;
  #closed = false;
  /** Bytes could not be written. */
  #failed = false;
  #change = Promise.withResolvers<void>();

  constructor(stream: Writable) {
    this.#stream = stream;
    // EPIPE: the process has closed its stdin; the writers learn it from `isClosed`.
    stream.on('error', () => stream.destroy());
    stream.on('close', () => this.close());
  }

  get isClosed(): boolean {
    return this.#closed || this.#stream.destroyed;
  }

  get count(): StdinCount {
    return { taken: this.#taken, dropped: this.#dropped };
  }

  get room(): number {
    return Math.max(0, Math.min(PROCESS_BYTES - this.#held, Math.max(ALL_BYTES - pool.bytes, OWN_BYTES - this.#held)));
  }

  async settled(): Promise<void> {
    // What was sent is counted at once.
  }

  changed(): Promise<void> {
    return this.#change.promise;
  }

  async offer(bytes: Uint8Array): Promise<number> {
    const taken = this.push(bytes);
    // A stream learns in the next turn of the event loop that its pipe is closed.
    for (let turn = 0; turn < TURNS; turn++) await nextTurn();
    if (!this.#failed) return taken;
    throw new SandboxError('conflict', 'stdin was closed by the process');
  }

  push(bytes: Uint8Array): number {
    const now = bytes.subarray(0, this.room);
    if (now.length === 0) return 0;
    this.#hold(now.length);
    this.#taken += now.length;
    this.#stream.write(now, (error) => {
      if (error) this.#failed = true;
      else if (!this.#closed) this.#hold(-now.length);
      this.#wake();
    });
    return now.length;
  }

  async end(): Promise<void> {
    this.#stream.end();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#dropped = this.#stream.writableFinished ? 0 : this.#held;
    this.#hold(-this.#held);
    this.#stream.destroy();
    this.#wake();
  }

  #hold(bytes: number): void {
    this.#held += bytes;
    pool.bytes += bytes;
  }

  #wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}

import type { Writable } from 'node:stream';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';

/** Bytes that may wait in the daemon before a writer has to wait. */
const PENDING_BYTES = 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
/** Milliseconds that a writer waits until it asks whether the host still answers. */
const PATIENCE_MS = 5000;

/** @throws SandboxError where the host that passes the bytes on does not answer */
export type HostCheck = () => Promise<void>;

/** The daemon's end of a process's stdin: one writer at a time, in the order of their calls. */
export class StdinPipe {
  readonly #stream: Writable;
  readonly #check: HostCheck;
  #turn: Promise<void> = Promise.resolve();
  /** Calls that write or wait for their turn. */
  #writers = 0;
  #ended = false;
  #wake: () => void = ignore;

  constructor(stream: Writable, check: HostCheck = () => Promise.resolve()) {
    this.#stream = stream;
    this.#check = check;
    // EPIPE: the process has closed its stdin; `#requireOpen` says so to the writers.
    stream.on('error', () => stream.destroy());
    stream.on('close', () => this.#wake());
  }

  /**
   * The bytes must not be changed afterwards. A signal that cuts a waiting write leaves it written in part, and so does
   * a host that falls silent.
   */
  async write(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    this.#refuseAfterEnd();
    await this.#inTurn(signal, async () => {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        this.#requireOpen();
        this.#stream.write(bytes.subarray(at, at + PIECE_BYTES), () => this.#wake());
        await this.#drained(signal);
      }
      this.#requireOpen();
    });
  }

  async end(): Promise<void> {
    this.#refuseAfterEnd();
    this.#ended = true;
    await this.#inTurn(undefined, async () => {
      this.#stream.end();
    });
  }

  /** The process has ended: calls that wait are refused. */
  close(): void {
    this.#ended = true;
    this.#stream.destroy();
  }

  async #inTurn(signal: AbortSignal | undefined, task: () => Promise<void>): Promise<void> {
    const before = this.#turn;
    const done = Promise.withResolvers<void>();
    this.#turn = before.then(() => done.promise);
    this.#writers += 1;
    try {
      // A typed key is written within the same turn of the event loop.
      if (this.#writers > 1) await this.#wait(before, signal);
      await task();
    } finally {
      this.#writers -= 1;
      done.resolve();
    }
  }

  async #drained(signal: AbortSignal | undefined): Promise<void> {
    while (this.#stream.writableLength >= PENDING_BYTES && !this.#stream.destroyed) {
      await this.#wait(new Promise<void>((resolve) => (this.#wake = resolve)), signal);
    }
  }

  /** A process may take any time to read; its host may not. @throws the signal's reason where it fires first */
  async #wait(event: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const end = await waitFor(event, { ms: PATIENCE_MS, signal });
      if (end === 'settled') return;
      if (end === 'aborted') throw signal?.reason;
      await this.#check();
    }
  }

  #refuseAfterEnd(): void {
    if (this.#ended) throw new SandboxError('conflict', 'stdin was closed');
    this.#requireOpen();
  }

  #requireOpen(): void {
    if (this.#stream.destroyed) throw new SandboxError('conflict', 'stdin was closed by the process');
  }
}

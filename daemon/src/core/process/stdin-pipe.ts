import type { Writable } from 'node:stream';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';

/** Bytes that may wait in the daemon before a writer has to wait. */
const PENDING_BYTES = 1024 * 1024;
const PIECE_BYTES = 256 * 1024;

/** The daemon's end of a process's stdin: one writer at a time, in the order of their calls. */
export class StdinPipe {
  readonly #stream: Writable;
  #turn: Promise<void> = Promise.resolve();
  /** Calls that write or wait for their turn. */
  #writers = 0;
  #ended = false;
  #wake: () => void = ignore;

  constructor(stream: Writable) {
    this.#stream = stream;
    // EPIPE: the process has closed its stdin; `#requireOpen` says so to the writers.
    stream.on('error', () => stream.destroy());
    stream.on('close', () => this.#wake());
  }

  /** The bytes must not be changed afterwards. A signal that cuts a waiting write leaves it written in part. */
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
      if (this.#writers > 1) await abortable(before, signal);
      await task();
    } finally {
      this.#writers -= 1;
      done.resolve();
    }
  }

  async #drained(signal: AbortSignal | undefined): Promise<void> {
    while (this.#stream.writableLength >= PENDING_BYTES && !this.#stream.destroyed) {
      await abortable(new Promise<void>((resolve) => (this.#wake = resolve)), signal);
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

/** Waits for `promise`, which the end of the stream settles at the latest. @throws the signal's reason where it fires first */
async function abortable(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) await promise;
  else if ((await waitFor(promise, { signal })) === 'aborted') throw signal.reason;
}

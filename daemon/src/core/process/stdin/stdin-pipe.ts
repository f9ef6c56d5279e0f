import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import type { StdinSink, StdinWait } from './stdin-sink.ts';

/** Bytes of one frame: a larger one delays the others. */
const PIECE_BYTES = 1024 * 1024;
/** Milliseconds that a writer waits until it asks whether the host still answers. */
const PATIENCE_MS = 5000;
/** A terminal has no offsets: only its screen shows what was typed. */
const LOOK_FIRST =
  'do not repeat it yet: wait until GET /ready is 200, then read the screen (GET /v2/pty/sessions/{session_id}/screen), which shows if it was typed';

/** @throws SandboxError if the host that passes the bytes on does not answer */
export type HostCheck = () => Promise<void>;

/** The daemon's end of a process's stdin: one writer at a time, in the order of their calls. */
export class StdinPipe {
  readonly sink: StdinSink;
  readonly #check: HostCheck;
  readonly #isTerminal: boolean;
  #turn: Promise<void> = Promise.resolve();
  /** Calls that write or wait for their turn. */
  #writers = 0;
  #ended = false;
  /** A writer waits for room, so that nothing behind it fits. */
  #isFull = false;
  #filled = Promise.withResolvers<void>();

  constructor(sink: StdinSink, check: HostCheck = () => Promise.resolve(), isTerminal = false) {
    this.sink = sink;
    this.#check = check;
    this.#isTerminal = isTerminal;
  }

  /** Stdin was not closed, by either side. */
  get isOpen(): boolean {
    return !this.#ended && !this.sink.isClosed;
  }

  /**
   * Writes all bytes, at the pace of the process. A signal that cuts a waiting write leaves it written in part.
   * @param offset of the first byte: those that were taken before are skipped
   */
  async write(bytes: Uint8Array, signal?: AbortSignal, offset?: number): Promise<void> {
    await this.#atPace(bytes, signal, async (rest) => {
      const before = offset === undefined ? 0 : await this.#takenOf(rest, offset + bytes.length - rest.length);
      if (before > 0) return before;
      await this.sink.settled(this.#waitFor(undefined));
      const piece = rest.subarray(0, this.#pieceBytes);
      return this.#sentFrom(this.sink.count.taken, this.sink.offer(piece, this.#waitFor(undefined)));
    });
  }

  /** As `write`, for typed keys: resolves when the bytes are on their way. */
  async type(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    await this.#atPace(bytes, signal, (rest) => this.sink.push(rest.subarray(0, this.#pieceBytes)));
  }

  /** Writes what fits now. @param offset of the first byte: those that were taken before are skipped */
  async offer(bytes: Uint8Array, offset?: number): Promise<number> {
    this.#refuseAfterEnd();
    if (this.#isFull) return 0;
    let done = 0;
    const isMine = await this.#inTurn(
      undefined,
      async () => {
        // Without an answer to what was sent before, nothing of this call is sent.
        await this.sink.settled(this.#waitFor(undefined));
        done = offset === undefined ? 0 : await this.#takenOf(bytes, offset);
        const start = offset ?? this.sink.count.taken;
        while (done < bytes.length) {
          this.#requireOpen();
          const piece = bytes.subarray(done, done + PIECE_BYTES);
          const taken = await this.#sentFrom(start, this.sink.offer(piece, this.#waitFor(undefined)));
          done += taken;
          if (taken < piece.length) return;
        }
        if (done === 0) this.#requireOpen();
      },
      true,
    );
    return isMine ? done : 0;
  }

  async end(): Promise<void> {
    this.#refuseAfterEnd();
    this.#ended = true;
    await this.#inTurn(undefined, async () => {
      if (!this.sink.isClosed) await this.sink.end(this.#waitFor(undefined));
    });
  }

  /** The process has ended: calls that wait are refused. */
  close(): void {
    this.#ended = true;
    this.sink.close();
  }

  async #atPace(
    bytes: Uint8Array,
    signal: AbortSignal | undefined,
    put: (rest: Uint8Array) => number | Promise<number>,
  ): Promise<void> {
    this.#refuseAfterEnd();
    await this.#inTurn(signal, async () => {
      for (let at = 0; at < bytes.length; ) {
        await this.#room(signal);
        this.#requireOpen();
        at += await put(bytes.subarray(at));
      }
    });
  }

  get #pieceBytes(): number {
    return Math.min(PIECE_BYTES, this.sink.room);
  }

  /** How many of the bytes were taken before. @throws SandboxError `conflict` for a gap before them */
  async #takenOf(bytes: Uint8Array, offset: number): Promise<number> {
    await this.sink.settled(this.#waitFor(undefined));
    const { taken } = this.sink.count;
    if (offset > taken) {
      throw new SandboxError('conflict', `stdin has ${taken} bytes, so that ${offset - taken} would be missing`, {
        hint: `write from offset ${taken} on`,
        data: { stdin_bytes: taken },
      });
    }
    return Math.min(bytes.length, taken - offset);
  }

  /** @returns false where `unlessFull` is set and a writer before it waits for room */
  async #inTurn(signal: AbortSignal | undefined, task: () => Promise<void>, unlessFull = false): Promise<boolean> {
    const before = this.#turn;
    const done = Promise.withResolvers<void>();
    this.#turn = before.then(() => done.promise);
    this.#writers += 1;
    try {
      // A typed key is written within the same turn of the event loop.
      if (this.#writers > 1) {
        const full = this.#filled.promise;
        await this.#waitFor(signal)(unlessFull ? Promise.race([before, full]) : before);
        if (unlessFull && this.#isFull) return false;
      }
      await task();
      return true;
    } finally {
      this.#writers -= 1;
      done.resolve();
    }
  }

  async #room(signal: AbortSignal | undefined): Promise<void> {
    const wait = this.#waitFor(signal);
    try {
      while (this.sink.room === 0 && !this.sink.isClosed) {
        const changed = this.sink.changed();
        this.#isFull = true;
        this.#filled.resolve();
        await wait(changed);
      }
    } finally {
      if (this.#isFull) this.#filled = Promise.withResolvers();
      this.#isFull = false;
    }
  }

  /** A process may take any time to read; its host may not. @throws the signal's reason if it fires first */
  #waitFor(signal: AbortSignal | undefined): StdinWait {
    return async (event) => {
      for (;;) {
        const end = await waitFor(event, { ms: PATIENCE_MS, signal });
        if (end === 'settled') return;
        if (end === 'aborted') throw signal?.reason;
        await this.#check();
      }
    };
  }

  #refuseAfterEnd(): void {
    if (this.#ended) throw new SandboxError('conflict', 'stdin was closed');
    this.#requireOpen();
  }

  #requireOpen(): void {
    if (this.sink.isClosed) throw new SandboxError('conflict', 'stdin was closed by the process');
  }

  /** A host that does not answer may take later what it was sent. @param start offset of the first of these bytes */
  async #sentFrom(start: number, offer: Promise<number>): Promise<number> {
    try {
      return await offer;
    } catch (error) {
      if (!(error instanceof SandboxError) || error.kind !== 'unavailable') throw error;
      const repeat = this.#isTerminal ? { hint: LOOK_FIRST } : fromOffset(start);
      const message = `${error.message}; bytes of this call may be taken`;
      throw new SandboxError('unavailable', message, { ...error.details, ...repeat, cause: error });
    }
  }
}

function fromOffset(start: number): { readonly hint: string; readonly data: object } {
  return {
    hint: `write again from offset ${start} on (POST /v2/commands/{command_id}/stdin with "offset": ${start}): bytes that were taken are skipped`,
    data: { stdin_bytes: start },
  };
}

import { Buffer } from 'node:buffer';
import type { TcpNetConnectOpts } from 'node:net';
import { WideSocket } from '../net/wide-socket.ts';
import { type BodyReader, bodyReader } from './answer-body.ts';
import { type AnswerHead, HEAD_BYTES_MAX, MalformedAnswer, parseAnswerHead } from './answer-head.ts';

/** How long the daemon may take to accept a connection, in milliseconds. */
const CONNECT_MS = 10_000;
/** How long a kept connection is silent before it is probed, in milliseconds. */
const KEEP_ALIVE_MS = 60_000;
/** A connection that has carried a longer body, in bytes, is not kept: the memory of its buffers would be too. */
const KEPT_AFTER_BYTES = 1024 ** 2;
const END_OF_HEAD = '\r\n\r\n';

/** Takes one answer as it comes; what it throws is its failure. */
export interface AnswerReader {
  /** Never an interim answer (RFC 9110 §15.2). */
  onHead(head: AnswerHead): void;
  /**
   * @param taken to be called when the bytes are no longer needed, which may be used again then; undefined for all but
   *   the last piece of those that came at once
   * @returns false to be given no more until the connection is resumed
   */
  onBody(bytes: Buffer, taken: (() => void) | undefined): boolean;
  onEnd(): void;
  /** Called once, instead of `onEnd`. */
  onError(error: Error): void;
}

/** One request, whole. */
export interface DaemonRequest {
  readonly method: string;
  /** Everything up to the body. */
  readonly head: string;
  readonly body: Buffer | null;
}

interface Ends {
  /** The answer was read to its end, and another request may follow within so many milliseconds. */
  readonly onIdle: (connection: DaemonConnection, forMs: number | undefined) => void;
  readonly onClosed: (connection: DaemonConnection) => void;
}

/**
 * A connection to the daemon, for one exchange after the other. It reads half a megabyte at a time into buffers that
 * are used over and over, and hands the pieces of a body on without another copy.
 */
export class DaemonConnection {
  readonly #socket = new WideSocket();
  readonly #ends: Ends;
  #reader: AnswerReader | undefined;
  #method = '';
  /** What came of a head that is not complete. */
  #partOfHead: Buffer | undefined;
  #body: BodyReader | undefined;
  #keepAliveMs: number | undefined;
  #carried = 0;
  /** Who has bytes of a buffer that is to be used again, and how many times. */
  #holder: AnswerReader | undefined;
  #lent = 0;
  #failure: Error | undefined;

  constructor(to: TcpNetConnectOpts, ends: Ends) {
    this.#ends = ends;
    const socket = this.#socket;
    const tooLate = Object.assign(new Error('the daemon takes no connection'), { code: 'CONNECT_TIMEOUT' });
    const late = setTimeout(() => this.destroy(tooLate), CONNECT_MS);
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    socket.once('connect', () => clearTimeout(late));
    socket.on('error', (error) => {
      this.#failure ??= error;
    });
    socket.on('end', () => this.#onEnd());
    socket.on('close', () => {
      clearTimeout(late);
      this.#ends.onClosed(this);
      this.#fail(this.#failure ?? lost());
    });
    socket.connect(to);
    socket.pumpInto({
      write: (bytes, taken) => this.#take(bytes, taken),
      // The reader resumes the connection itself.
      on: () => undefined,
    });
  }

  get isDestroyed(): boolean {
    return this.#socket.destroyed;
  }

  /** Begins an exchange on a connection that has none. */
  ask({ method, head, body }: DaemonRequest, reader: AnswerReader): void {
    this.#reader = reader;
    this.#holder = reader;
    this.#method = method;
    if (body === null) {
      this.#socket.write(head, 'latin1');
    } else {
      this.#socket.cork();
      this.#socket.write(head, 'latin1');
      this.#socket.write(body);
      this.#socket.uncork();
    }
  }

  /** Reads on after `onBody` has answered false. */
  resume(): void {
    this.#socket.resume();
  }

  /** Says that a reader takes nothing more: what is still his, or on its way to him, goes with the connection. */
  abandon(reader: AnswerReader): void {
    if (this.#holder === reader) this.destroy();
  }

  /** Ends it; what is under way fails with the error. */
  destroy(error?: Error): void {
    this.#failure ??= error;
    this.#socket.destroy();
  }

  /** @returns false to be read no further until it is resumed. */
  #take(bytes: Buffer, taken: (() => void) | undefined): boolean {
    try {
      const pieces: Buffer[] = [];
      this.#read(bytes, pieces);
      return this.#pass(pieces, taken);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  #read(bytes: Buffer, pieces: Buffer[]): void {
    let rest = bytes;
    while (rest.length > 0) {
      if (!this.#reader) throw new MalformedAnswer('bytes came that nothing was asked for');
      if (!this.#body) {
        const behind = this.#readHead(rest);
        if (!behind) return;
        rest = behind;
      }
      if (this.#body) {
        rest = rest.subarray(this.#body.read(rest, pieces));
        if (rest.length > 0) throw new MalformedAnswer('bytes came behind the answer');
      }
    }
  }

  /** @returns what came behind a head that is complete; undefined where it is not */
  #readHead(bytes: Buffer): Buffer | undefined {
    const before = this.#partOfHead;
    const head = before ? Buffer.concat([before, bytes]) : bytes;
    const end = head.indexOf(END_OF_HEAD, Math.max(0, (before?.length ?? 0) - END_OF_HEAD.length), 'latin1');
    if (end > HEAD_BYTES_MAX || (end < 0 && head.length > HEAD_BYTES_MAX)) {
      throw new MalformedAnswer('the head of the answer is too long');
    }
    if (end < 0) {
      // The bytes may stand in a buffer that is used again.
      this.#partOfHead = before ? head : Buffer.from(head);
      return undefined;
    }
    this.#partOfHead = undefined;
    this.#takeHead(parseAnswerHead(head.toString('latin1', 0, end), this.#method));
    return head.subarray(end + END_OF_HEAD.length);
  }

  #takeHead(head: AnswerHead): void {
    if (head.status === 101) throw new MalformedAnswer('the protocol changed without being asked to');
    if (head.status < 200) return;
    this.#body = bodyReader(head.framing);
    this.#keepAliveMs = head.keepAliveMs;
    this.#reader?.onHead(head);
  }

  #pass(pieces: readonly Buffer[], taken: (() => void) | undefined): boolean {
    const last = pieces.length - 1;
    let wantsMore = true;
    for (const [index, piece] of pieces.entries()) {
      this.#carried += piece.length;
      wantsMore = this.#reader?.onBody(piece, index === last ? this.#lend(taken) : undefined) ?? false;
    }
    if (last < 0) taken?.();
    if (this.#body?.isEnded) this.#finish();
    return wantsMore;
  }

  #lend(taken: (() => void) | undefined): (() => void) | undefined {
    if (!taken) return undefined;
    this.#lent += 1;
    return () => {
      this.#lent -= 1;
      taken();
      this.#rest();
    };
  }

  #finish(): void {
    const reader = this.#reader;
    this.#reader = undefined;
    this.#body = undefined;
    const isKept = this.#keepAliveMs !== 0 && this.#socket.writableLength === 0 && this.#carried <= KEPT_AFTER_BYTES;
    if (isKept) this.#rest();
    else this.#socket.destroy();
    reader?.onEnd();
  }

  /** Is ready for the next exchange once nothing of the last one is on its way: a slow client holds up no other. */
  #rest(): void {
    if (this.#reader || !this.#holder || this.#lent > 0 || this.#socket.destroyed) return;
    this.#holder = undefined;
    this.#carried = 0;
    this.#socket.resume();
    this.#ends.onIdle(this, this.#keepAliveMs);
  }

  #onEnd(): void {
    if (this.#body?.endsWithConnection) this.#finish();
    else this.#socket.destroy();
  }

  #fail(error: Error): void {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.onError(error);
  }
}

function lost(): Error {
  return Object.assign(new Error('the daemon ended the connection'), { code: 'ECONNRESET' });
}

import { Writable } from 'node:stream';
import { FrameWriter, REQUEST } from '../keeper-frames.ts';
import type { InputState } from './keeper-state.ts';

const MAX_PIECES = 64;

/**
 * Bytes for the stdin of a process, sent as far as the keeper allows. Sent bytes are kept until the keeper is
 * known to have taken them, and sent again where the connection ended before.
 */
export class KeeperStdin extends Writable {
  readonly #id: string;
  readonly #send: (frame: FrameWriter) => void;
  /** The offset up to which bytes may be sent. */
  #limit = 0;
  /** The offset up to which bytes were sent; `#kept` are the last of them. */
  #sent = 0;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #ended = false;
  #waiting: (() => void) | undefined;

  constructor(id: string, send: (frame: FrameWriter) => void) {
    super({ highWaterMark: 64 * 1024, decodeStrings: false });
    this.#id = id;
    this.#send = send;
  }

  /** The first state on a connection: what an earlier connection may have lost is sent again. */
  resume({ limit, taken }: InputState): void {
    // An earlier daemon has sent these bytes: this one continues after them.
    if (this.#sent < taken) this.#sent = taken;
    this.#limit = limit;
    this.#keepFrom(taken);
    const again = Buffer.concat(this.#kept);
    if (again.length > 0) this.#sendBytes(taken, again);
    if (this.#ended) this.#sendEnd();
    this.#wake();
  }

  grant({ limit, taken }: InputState): void {
    this.#limit = limit;
    this.#keepFrom(taken);
    this.#wake();
  }

  /** The process has closed its stdin, or ended: no bytes have to be sent again. */
  close(): void {
    this.#kept = [];
    this.#keptBytes = 0;
    this.destroy();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const now = chunk.subarray(0, Math.max(0, this.#limit - this.#sent));
    if (now.length > 0) {
      this.#sendBytes(this.#sent, now);
      this.#keep(now);
    }
    if (now.length === chunk.length) done();
    else this.#waiting = () => this._write(chunk.subarray(now.length), _encoding, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#ended = true;
    this.#sendEnd();
    done();
  }

  #sendBytes(offset: number, bytes: Buffer): void {
    this.#send(new FrameWriter(REQUEST.stdin).text(this.#id).u64(offset).bytes(bytes));
  }

  #sendEnd(): void {
    this.#send(new FrameWriter(REQUEST.stdinEof).text(this.#id).u64(this.#sent));
  }

  #keep(bytes: Buffer): void {
    this.#sent += bytes.length;
    this.#kept.push(bytes);
    this.#keptBytes += bytes.length;
    // Many small pieces cost more than their bytes.
    if (this.#kept.length > MAX_PIECES) this.#kept = [Buffer.concat(this.#kept)];
  }

  /** Bytes before the offset do not have to be sent again. */
  #keepFrom(offset: number): void {
    let surplus = this.#keptBytes - Math.max(0, this.#sent - offset);
    while (surplus > 0) {
      const first = this.#kept.shift();
      if (first === undefined) return;
      const dropped = Math.min(surplus, first.length);
      if (dropped < first.length) this.#kept.unshift(first.subarray(dropped));
      this.#keptBytes -= dropped;
      surplus -= dropped;
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }
}

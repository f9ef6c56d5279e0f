import { Writable } from 'node:stream';
import { FrameWriter, REQUEST } from './keeper-frames.ts';

/** Bytes for the stdin of a process, sent as far as the keeper has given credit for. */
export class KeeperStdin extends Writable {
  readonly #id: string;
  readonly #send: (frame: FrameWriter) => void;
  #credit: number;
  #waiting: (() => void) | undefined;

  constructor(id: string, credit: number, send: (frame: FrameWriter) => void) {
    super({ highWaterMark: 64 * 1024, decodeStrings: false });
    this.#id = id;
    this.#credit = credit;
    this.#send = send;
  }

  /** After the keeper was joined again, it takes so many bytes. */
  resume(credit: number): void {
    this.#credit = 0;
    this.grant(credit);
  }

  /** The keeper takes so many bytes besides. */
  grant(bytes: number): void {
    this.#credit += bytes;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const now = chunk.subarray(0, this.#credit);
    if (now.length > 0) this.#send(new FrameWriter(REQUEST.stdin).text(this.#id).bytes(now));
    this.#credit -= now.length;
    if (now.length === chunk.length) done();
    else this.#waiting = () => this._write(chunk.subarray(now.length), _encoding, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#send(new FrameWriter(REQUEST.stdinEof).text(this.#id));
    done();
  }
}

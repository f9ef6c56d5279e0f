import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { StdinCount, StdinSink, StdinWait } from '../../stdin/stdin-sink.ts';
import { FrameWriter, REQUEST } from '../keeper-frames.ts';
import type { InputState } from './keeper-state.ts';

const MAX_PIECES = 64;
/** Typed bytes that may be on their way before the keeper is asked for their acknowledgement. */
const UNASKED_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Sends bytes for the stdin of a process. The keeper takes what fits, and its STATE says up to which offset that was
 * after which frame. Sent bytes are kept until then, and sent again if the connection ended before.
 */
export class KeeperStdin implements StdinSink {
  readonly #id: string;
  readonly #send: (frame: FrameWriter) => void;
  /** The offset up to which bytes fit. */
  #limit = 0;
  /** The offset up to which bytes were sent; `#kept` are the last of them. */
  #sent = 0;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #taken = 0;
  #dropped = 0;
  /** Numbers of the last frame, of the last one that asks, and of the last one that the keeper has handled. */
  #sequence = 0;
  #asked = 0;
  #handled = 0;
  /** An offer is on its way: what the keeper refuses of it is not sent again. */
  #offering = false;
  #ending = false;
  #closed = false;
  #change = Promise.withResolvers<void>();

  constructor(id: string, send: (frame: FrameWriter) => void) {
    this.#id = id;
    this.#send = send;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get count(): StdinCount {
    return { taken: this.#taken, dropped: this.#dropped };
  }

  get room(): number {
    return Math.max(0, this.#limit - this.#sent);
  }

  changed(): Promise<void> {
    return this.#change.promise;
  }

  /** A STATE; `isFirst`: on this connection, so that what an earlier one may have lost is sent again. */
  apply(state: InputState, isFirst: boolean): void {
    const { taken, limit, sequence, dropped, isOpen } = state;
    this.#dropped = dropped;
    this.#taken = taken;
    this.#limit = limit;
    // An earlier daemon has sent these bytes: this one continues after them.
    if (this.#sent < taken) this.#sent = taken;
    this.#keepFrom(taken);
    // The keeper counts from 0 again on each connection.
    if (!isFirst) this.#handled = Math.max(this.#handled, sequence);
    else if (isOpen) this.#resume();
    if (!isOpen) this.close();
    else if (!this.#offering) this.#sendRefused();
    this.#wake();
  }

  /** The process has closed its stdin, or ended: no bytes have to be sent again. */
  close(): void {
    this.#kept = [];
    this.#keptBytes = 0;
    this.#closed = true;
    this.#wake();
  }

  async settled(wait: StdinWait): Promise<void> {
    if (this.#asked < this.#sequence) this.#sendBytes(this.#sent, NOTHING, true);
    while (!this.#closed && this.#handled < this.#sequence) await wait(this.changed());
  }

  async offer(bytes: Uint8Array, wait: StdinWait): Promise<number> {
    await this.settled(wait);
    if (this.#closed || this.#keptBytes > 0) return 0;
    this.#offering = true;
    try {
      const start = this.#sent;
      this.#put(bytes, true);
      await this.settled(wait);
      const taken = Math.min(bytes.length, Math.max(0, this.#taken - start));
      if (this.#closed && taken === 0) throw new SandboxError('conflict', 'stdin was closed by the process');
      this.#kept = [];
      this.#keptBytes = 0;
      this.#sent = this.#taken;
      return taken;
    } finally {
      this.#offering = false;
    }
  }

  push(bytes: Uint8Array): number {
    const now = bytes.subarray(0, this.room);
    if (now.length > 0) this.#put(now, this.#keptBytes + now.length > UNASKED_BYTES);
    return now.length;
  }

  async end(wait: StdinWait): Promise<void> {
    await this.settled(wait);
    this.#ending = true;
    if (!this.#closed) this.#sendEnd();
    while (!this.#closed) await wait(this.changed());
  }

  #put(bytes: Uint8Array, asks: boolean): void {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#sendBytes(this.#sent, piece, asks);
    this.#sent += piece.length;
    this.#keptBytes += piece.length;
    this.#kept.push(piece);
    // Many small pieces cost more than their bytes.
    if (this.#kept.length > MAX_PIECES) this.#kept = [Buffer.concat(this.#kept)];
  }

  #resume(): void {
    this.#handled = this.#sequence;
    if (this.#keptBytes > 0) this.#sendKept(this.#keptBytes);
    if (this.#ending) this.#sendEnd();
  }

  /** Typed bytes for which the keeper had no room. */
  #sendRefused(): void {
    const bytes = Math.min(this.#keptBytes, this.#limit - this.#taken);
    if (this.#handled === this.#sequence && bytes > 0) this.#sendKept(bytes);
  }

  #sendKept(bytes: number): void {
    this.#sendBytes(this.#taken, Buffer.concat(this.#kept).subarray(0, bytes), true);
  }

  #sendBytes(offset: number, bytes: Buffer, asks: boolean): void {
    this.#sequence += 1;
    if (asks) this.#asked = this.#sequence;
    const frame = new FrameWriter(REQUEST.stdin).text(this.#id).u64(this.#sequence).flag(asks);
    this.#send(frame.u64(offset).bytes(bytes));
  }

  #sendEnd(): void {
    this.#send(new FrameWriter(REQUEST.stdinEof).text(this.#id).u64(this.#sent));
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
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}

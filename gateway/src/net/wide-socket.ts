import { Socket } from 'node:net';

/** What one read may bring, in bytes: Node itself reads 64 KiB at a time, which is what limits long bodies. */
const READ_BYTES = 512 * 1024;
/** Less than this is copied out, so that a short answer does not keep a long buffer, nor make a new one. */
const COPIED_BYTES = 16 * 1024;
/** Buffers that may be on their way out at once; one more is read into. */
const LENT_MAX = 2;

/** What takes the bytes of a connection. `write` answers false where it wants no more until it has drained. */
export interface Sink {
  write(bytes: Buffer, written?: () => void): boolean;
  on(event: 'drain', listener: () => void): unknown;
}

/** A connection that reads long pieces. As a stream it is like any other; what is pumped is not even that. */
export class WideSocket extends Socket {
  readonly #buffers: ReadBuffers;
  #sink: Sink | undefined;

  constructor(options: { readonly allowHalfOpen?: boolean } = {}) {
    const buffers = new ReadBuffers();
    const onread = { buffer: () => buffers.next, callback: (length: number) => this.#onRead(length) };
    // A read that alone fills the buffer of the stream would stop the reading each time.
    const bounds = { readableHighWaterMark: 2 * READ_BYTES };
    super({ ...options, ...bounds, onread });
    this.#buffers = buffers;
  }

  /** From here on whatever is read is written to a sink, from few buffers that are used over and over. */
  pumpInto(sink: Sink): void {
    this.#sink = sink;
    sink.on('drain', () => this.resume());
    this.resume();
  }

  /** @returns false to be read no further until it is resumed. */
  #onRead(length: number): boolean {
    const buffers = this.#buffers;
    if (!this.#sink) return this.push(buffers.take(length));
    if (length < COPIED_BYTES) return this.#sink.write(buffers.take(length));
    const lent = buffers.lend();
    const open = this.#sink.write(lent.subarray(0, length), () => {
      buffers.giveBack(lent);
      this.resume();
    });
    return open && buffers.lent < LENT_MAX;
  }
}

class ReadBuffers {
  next: Buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  lent = 0;
  readonly #free: Buffer[] = [];

  /** What was read; the buffer is the reader's from here on, or stays ours where little stands in it. */
  take(length: number): Buffer {
    const read = this.next.subarray(0, length);
    if (length < COPIED_BYTES) return Buffer.from(read);
    this.next = Buffer.allocUnsafeSlow(READ_BYTES);
    return read;
  }

  lend(): Buffer {
    const lent = this.next;
    this.lent += 1;
    this.next = this.#free.pop() ?? Buffer.allocUnsafeSlow(READ_BYTES);
    return lent;
  }

  giveBack(buffer: Buffer): void {
    this.lent -= 1;
    this.#free.push(buffer);
  }
}

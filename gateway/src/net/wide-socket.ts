import { Socket } from 'node:net';

/** Bytes of one read; Node's default of 64 KiB limits the throughput of long bodies. */
const READ_BYTES = 512 * 1024;
/** A shorter read is copied, so that a short response neither retains nor allocates a long buffer. */
const COPIED_BYTES = 16 * 1024;
/** Buffers that may be in use by the sink at once; one more receives reads. */
const LENT_MAX = 2;

/** The destination of a connection's bytes. `write` returns false to pause until `drain`. */
export interface Sink {
  write(bytes: Buffer, written?: () => void): boolean;
  on(event: 'drain', listener: () => void): unknown;
}

/** A socket that reads up to 512 KiB at a time. It is an ordinary stream until `pumpInto` bypasses the stream. */
export class WideSocket extends Socket {
  readonly #buffers: ReadBuffers;
  #sink: Sink | undefined;

  constructor(options: { readonly allowHalfOpen?: boolean } = {}) {
    const buffers = new ReadBuffers();
    const onread = { buffer: () => buffers.next, callback: (length: number) => this.#onRead(length) };
    // With a smaller high-water mark a single read would fill the stream's buffer and pause reading.
    const bounds = { readableHighWaterMark: 2 * READ_BYTES };
    super({ ...options, ...bounds, onread });
    this.#buffers = buffers;
  }

  /** Writes all further bytes directly to a sink, from a small number of reused buffers. */
  pumpInto(sink: Sink): void {
    this.#sink = sink;
    sink.on('drain', () => this.resume());
    this.resume();
  }

  /** @returns false to pause reading until the socket is resumed */
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

  /** Returns the bytes of a read: a copy of a short read, otherwise the buffer itself, which is then replaced. */
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

import { Socket } from 'node:net';

/** What one read may bring, in bytes: Node itself reads 64 KiB at a time, which is what limits long bodies. */
const READ_BYTES = 512 * 1024;
/** Less than this is copied out, so that a short answer does not keep a long buffer, nor make a new one. */
const COPIED_BYTES = 32 * 1024;

/** A connection that reads long bodies in long pieces. */
export class WideSocket extends Socket {
  constructor() {
    const buffers = new ReadBuffers();
    super({ onread: { buffer: () => buffers.next, callback: (length) => this.push(buffers.take(length)) } });
  }
}

class ReadBuffers {
  next = Buffer.allocUnsafeSlow(READ_BYTES);

  /** What was read; the buffer is the reader's from here on, or stays ours where little stands in it. */
  take(length: number): Buffer {
    const read = this.next.subarray(0, length);
    if (length < COPIED_BYTES) return Buffer.from(read);
    this.next = Buffer.allocUnsafeSlow(READ_BYTES);
    return read;
  }
}

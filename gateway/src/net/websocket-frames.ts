/** Close code for a service that was interrupted and is started again (IANA registry of RFC 6455 §11.7). */
const SERVICE_RESTART = 1012;
const RESTART_REASON = 'the service was interrupted: connect again';

const CLOSE = 0x8;
/** Two bytes, a length of eight, and a mask of four (RFC 6455 §5.2). */
const LONGEST_HEADER = 2 + 8 + 4;

/** Follows the frames of one side of a WebSocket (RFC 6455 §5.2), of which it keeps no bytes. */
export class WebSocketFrames {
  readonly #header = Buffer.alloc(LONGEST_HEADER);
  #headerLength = 0;
  /** Bytes of the payload that have not passed. */
  #payload = 0;
  #isClosed = false;

  /** Bytes of the connection, in order. */
  take(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += this.takeFrame(bytes.subarray(at));
  }

  /** Takes bytes up to the end of the current frame. @returns how many these are */
  takeFrame(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length) {
      if (this.#payload > 0) {
        const passed = Math.min(this.#payload, bytes.length - at);
        this.#payload -= passed;
        at += passed;
      } else {
        this.#header[this.#headerLength] = bytes[at] ?? 0;
        this.#headerLength += 1;
        at += 1;
        if (this.#headerLength >= this.#neededLength) this.#begin();
      }
      if (this.isBetweenFrames) break;
    }
    return at;
  }

  get isBetweenFrames(): boolean {
    return this.#headerLength === 0 && this.#payload === 0;
  }

  /** The close frame of a side that can send no more; undefined within a frame, and after a close frame. */
  get interruption(): Buffer | undefined {
    return this.closeFrame(SERVICE_RESTART, RESTART_REASON);
  }

  /** A close frame (RFC 6455 §5.5.1); undefined within a frame, and after a close frame. */
  closeFrame(code: number, reason: string): Buffer | undefined {
    if (this.#isClosed || !this.isBetweenFrames) return undefined;
    const frame = Buffer.from([0x80 | CLOSE, 2 + reason.length, code >> 8, code & 0xff]);
    return Buffer.concat([frame, Buffer.from(reason)]);
  }

  get #neededLength(): number {
    if (this.#headerLength < 2) return 2;
    const second = this.#header.readUInt8(1);
    return 2 + (LENGTH_BYTES[second & 0x7f] ?? 0) + (second & 0x80 ? 4 : 0);
  }

  #begin(): void {
    const length = this.#header.readUInt8(1) & 0x7f;
    if (length === 126) this.#payload = this.#header.readUInt16BE(2);
    else if (length === 127) this.#payload = Number(this.#header.readBigUInt64BE(2));
    else this.#payload = length;
    if ((this.#header.readUInt8(0) & 0xf) === CLOSE) this.#isClosed = true;
    this.#headerLength = 0;
  }
}

/** Bytes of the length that follow these values of the short length. */
const LENGTH_BYTES: Readonly<Record<number, number>> = { 126: 2, 127: 8 };

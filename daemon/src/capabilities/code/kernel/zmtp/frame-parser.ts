const MORE = 1;
const LONG = 2;
const COMMAND = 4;

/** Bytes of one message that are held. Of a longer one the beginning is kept, the rest is read and counted. */
const MESSAGE_BYTES = 64 * 1024 ** 2;
/** Frames of one message: seven in the Jupyter protocol, and the buffers of an output. */
const FRAMES_MAX = 1000;

/** A command, or a message: its frames, and the bytes at its end that were not kept. */
export type ParsedMessage =
  | { readonly frames: readonly Buffer[]; readonly droppedBytes: number }
  | { readonly command: Buffer };

/** How many bytes of the next frame may be kept, by the frames of the message before it. */
export type Retention = (frames: readonly Buffer[]) => number;

interface Frame {
  readonly flags: number;
  readonly kept: Buffer;
  readonly size: number;
  read: number;
}

/** Splits the bytes after the greeting into messages (ZMTP 3.0, RFC 23). The work is linear in the bytes. */
export class FrameParser {
  readonly #retention: Retention;
  #head = Buffer.alloc(0);
  #frame: Frame | undefined;
  #frames: Buffer[] = [];
  #held = 0;
  #dropped = 0;

  constructor(retention: Retention = () => MESSAGE_BYTES) {
    this.#retention = retention;
  }

  /** Messages that the bytes complete. @throws Error if they are not ZMTP */
  push(bytes: Buffer): ParsedMessage[] {
    const messages: ParsedMessage[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.#frame === undefined) {
        at = this.#readHead(bytes, at);
        if (this.#frame === undefined) break;
      }
      at = this.#readBody(bytes, at, messages);
    }
    return messages;
  }

  #readHead(bytes: Buffer, at: number): number {
    const wanted = this.#headSize(bytes, at);
    const missing = wanted - this.#head.length;
    this.#head = Buffer.concat([this.#head, bytes.subarray(at, at + missing)]);
    const next = Math.min(at + missing, bytes.length);
    if (this.#head.length < wanted) return next;
    const flags = this.#head.readUInt8(0);
    if (flags > 7) throw new Error(`invalid flags of a frame: ${flags}`);
    const size = flags & LONG ? Number(this.#head.readBigUInt64BE(1)) : this.#head.readUInt8(1);
    this.#head = Buffer.alloc(0);
    const room = Math.max(0, Math.min(this.#retention(this.#frames), MESSAGE_BYTES - this.#held));
    const kept = Buffer.allocUnsafe(this.#dropped > 0 ? 0 : Math.min(size, room));
    this.#frame = { flags, kept, size, read: 0 };
    return next;
  }

  #headSize(bytes: Buffer, at: number): number {
    const flags = this.#head[0] ?? bytes[at] ?? 0;
    return flags & LONG ? 9 : 2;
  }

  #readBody(bytes: Buffer, at: number, messages: ParsedMessage[]): number {
    const frame = this.#frame;
    if (frame === undefined) return at;
    const end = Math.min(at + frame.size - frame.read, bytes.length);
    if (frame.read < frame.kept.length) bytes.copy(frame.kept, frame.read, at, end);
    frame.read += end - at;
    if (frame.read === frame.size) this.#completeFrame(frame, messages);
    return end;
  }

  #completeFrame({ flags, kept, size }: Frame, messages: ParsedMessage[]): void {
    this.#frame = undefined;
    if (flags & COMMAND) {
      messages.push({ command: kept });
      return;
    }
    if (this.#frames.length >= FRAMES_MAX) throw new Error(`a message has more than ${FRAMES_MAX} frames`);
    this.#frames.push(kept);
    this.#held += kept.length;
    this.#dropped += size - kept.length;
    if (flags & MORE) return;
    messages.push({ frames: this.#frames, droppedBytes: this.#dropped });
    this.#frames = [];
    this.#held = 0;
    this.#dropped = 0;
  }
}

/** The bytes of a message. */
export function encodeMessage(frames: readonly Buffer[]): Buffer {
  const parts = frames.flatMap((frame, index) => [headOf(frame, index < frames.length - 1 ? MORE : 0), frame]);
  return Buffer.concat(parts);
}

export function encodeCommand(name: string, body: Buffer): Buffer {
  const frame = Buffer.concat([Buffer.from([name.length]), Buffer.from(name, 'latin1'), body]);
  return Buffer.concat([headOf(frame, COMMAND), frame]);
}

function headOf(frame: Buffer, flags: number): Buffer {
  if (frame.length < 256) return Buffer.from([flags, frame.length]);
  const head = Buffer.alloc(9);
  head.writeUInt8(flags | LONG, 0);
  head.writeBigUInt64BE(BigInt(frame.length), 1);
  return head;
}

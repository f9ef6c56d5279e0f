import type { Identity } from '../../account/identity.ts';

/** The version of `docs/keeper.md` that this daemon speaks; the keeper's socket is named after it. */
export const KEEPER_VERSION = 4;

/** A longer frame ends the connection. */
export const MAX_FRAME_BYTES = 12 * 1024 * 1024;

/** Frames of the daemon. */
export const REQUEST = {
  hello: 1,
  start: 2,
  stdin: 3,
  stdinEof: 4,
  resize: 5,
  signal: 6,
  foreground: 7,
  forget: 8,
  shutdown: 9,
  trim: 10,
  reserve: 11,
  release: 12,
  figures: 13,
  kills: 14,
} as const;

/** Values of the stdin field of START. */
export const STDIN_KIND = { null: 0, pipe: 1, terminal: 2 } as const;

/** Numbers of streams. */
export const STREAM = { stdout: 0, stderr: 1, terminal: 2 } as const;

/** Frames of the keeper. */
export const EVENT = {
  welcome: 65,
  state: 66,
  synced: 67,
  failed: 68,
  signalled: 69,
  reserved: 70,
  figures: 71,
  kills: 72,
} as const;

/** Most frames fit; a longer one takes a buffer of twice the size. */
const USUAL_BYTES = 2048;

/** Assembles one frame in one piece of memory, since a START has about a hundred fields. */
export class FrameWriter {
  #bytes: Buffer = Buffer.allocUnsafe(USUAL_BYTES);
  #end = 4;

  constructor(type: number) {
    this.u8(type);
  }

  u8(value: number): this {
    const at = this.#reserve(1);
    this.#bytes.writeUInt8(value, at);
    return this;
  }

  flag(value: boolean): this {
    return this.u8(value ? 1 : 0);
  }

  u16(value: number): this {
    const at = this.#reserve(2);
    this.#bytes.writeUInt16LE(value, at);
    return this;
  }

  /** A negative number wraps to one that names nothing for the keeper. */
  u32(value: number): this {
    const at = this.#reserve(4);
    this.#bytes.writeUInt32LE(value >>> 0, at);
    return this;
  }

  u64(value: number | bigint): this {
    const at = this.#reserve(8);
    this.#bytes.writeBigUInt64LE(BigInt(value), at);
    return this;
  }

  bytes(value: Uint8Array): this {
    this.u32(value.length);
    const at = this.#reserve(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  text(value: string): this {
    const length = Buffer.byteLength(value);
    this.u32(length);
    const at = this.#reserve(length);
    this.#bytes.write(value, at);
    return this;
  }

  texts(values: readonly string[]): this {
    this.u32(values.length);
    for (const value of values) this.text(value);
    return this;
  }

  account(identity: Identity | undefined): this {
    this.flag(identity !== undefined);
    if (identity === undefined) return this;
    this.u32(identity.uid).u32(identity.gid).u32(identity.groups.length);
    for (const group of identity.groups) this.u32(group);
    return this;
  }

  /** The whole frame in one piece. */
  finish(): Buffer {
    this.#bytes.writeUInt32LE(this.length, 0);
    return this.#bytes.subarray(0, this.#end);
  }

  get length(): number {
    return this.#end - 4;
  }

  /** Offset of that many new bytes. */
  #reserve(count: number): number {
    const at = this.#end;
    this.#end += count;
    if (this.#end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#end, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
    }
    return at;
  }
}

/** Reads the fields of one frame. */
export class FrameReader {
  readonly type: number;
  readonly #bytes: Buffer;
  #at = 1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.type = bytes.readUInt8(0);
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#advance(1));
  }

  flag(): boolean {
    return this.u8() === 1;
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#advance(4));
  }

  /** Exact up to 2^53. */
  u64(): number {
    return this.u32() + this.u32() * 0x1_0000_0000;
  }

  /** UTF-8. */
  text(): string {
    return this.bytes().toString();
  }

  /** Of names that need not be text; a view into the frame. */
  bytes(): Buffer {
    const length = this.u32();
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** A field of that many bytes, a character a byte. */
  latin1(length: number): string {
    const start = this.#advance(length);
    if (start + length > this.#bytes.length) throw new RangeError('a field beyond the end of its frame');
    return this.#bytes.toString('latin1', start, start + length);
  }

  /** What follows the fields that were read; a view into the frame. */
  rest(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  #advance(count: number): number {
    const at = this.#at;
    this.#at += count;
    return at;
  }
}

/** Splits a byte stream into frames. */
export class FrameSplitter {
  #rest: Buffer = Buffer.alloc(0);

  /** The frames that are complete, in their order. @throws RangeError for a length that no frame has */
  push(chunk: Buffer): FrameReader[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: FrameReader[] = [];
    let at = 0;
    while (bytes.length - at >= 4) {
      const length = bytes.readUInt32LE(at);
      if (length === 0 || length > MAX_FRAME_BYTES) throw new RangeError(`a frame of ${length} bytes`);
      const end = at + 4 + length;
      if (bytes.length < end) break;
      frames.push(new FrameReader(bytes.subarray(at + 4, end)));
      at = end;
    }
    this.#rest = bytes.subarray(at);
    return frames;
  }
}

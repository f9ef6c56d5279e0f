import { TIMESCALE } from './ffmpeg.ts';

/** Bytes of the length and the name of a box (ISO/IEC 14496-12, 4.2). */
const BOX_HEADER = 8;
/** Of a full box: version and flags follow. */
const FULL_BOX_HEADER = 12;
/** Bytes of a `moof`: it lists the pictures of about one second. */
const MAX_MOOF = 1024 * 1024;
/** What stands once, at the begin of a file. */
const BEGIN = ['ftyp', 'moov'];

interface Box {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Makes one fragmented MP4 of several: the first keeps its begin, and the fragments of all others follow it, with times
 * and numbers that continue.
 */
export class Fragments {
  #sequence = 0;
  #isBegun = false;

  /**
   * The bytes that go into the file.
   * @param mp4 a fragmented MP4 with times in units of `TIMESCALE`, each `tfdt` with 64 bits
   * @param start seconds at which it begins in the file
   * @throws Error if it is not such an MP4
   */
  async *of(mp4: AsyncIterable<Buffer>, start: number): AsyncGenerator<Buffer> {
    const hasBegin = this.#isBegun;
    this.#isBegun = true;
    const reader = new BoxReader();
    for await (const chunk of mp4) {
      for (const { name, bytes } of reader.read(chunk)) {
        if (name === 'moof') yield this.#follow(bytes, start);
        else if (!(hasBegin && BEGIN.includes(name))) yield bytes;
      }
    }
  }

  /** The `moof` with the next number, and later by `start` seconds. */
  #follow(moof: Buffer, start: number): Buffer {
    this.#sequence += 1;
    for (const { name, bytes } of boxesOf(moof.subarray(BOX_HEADER))) {
      if (name === 'mfhd') bytes.writeUInt32BE(this.#sequence, FULL_BOX_HEADER);
      if (name !== 'traf') continue;
      for (const part of boxesOf(bytes.subarray(BOX_HEADER))) {
        if (part.name !== 'tfdt') continue;
        const time = part.bytes.readBigUInt64BE(FULL_BOX_HEADER);
        part.bytes.writeBigUInt64BE(time + BigInt(Math.round(start * TIMESCALE)), FULL_BOX_HEADER);
      }
    }
    return moof;
  }
}

/** Splits a stream into its boxes: a `moof` is whole, others come in parts, as they are read. */
class BoxReader {
  #bytes: Buffer = Buffer.alloc(0);
  #name = '';
  /** Bytes of the box that are still to come. */
  #left = 0;

  *read(chunk: Buffer): Generator<Box> {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    for (let box = this.#next(); box !== undefined; box = this.#next()) yield box;
  }

  #next(): Box | undefined {
    if (this.#left === 0 && this.#bytes.length >= BOX_HEADER) this.#begin();
    const bytes = this.#bytes.subarray(0, this.#left);
    const isWhole = bytes.length === this.#left;
    if (bytes.length === 0 || (this.#name === 'moof' && !isWhole)) return undefined;
    this.#left -= bytes.length;
    this.#bytes = this.#bytes.subarray(bytes.length);
    return { name: this.#name, bytes };
  }

  #begin(): void {
    const { name, length } = headerOf(this.#bytes);
    if (name === 'moof' && length > MAX_MOOF) throw notFragmented(`a moof of ${length} bytes`);
    this.#name = name;
    this.#left = length;
  }
}

function* boxesOf(bytes: Buffer): Generator<Box> {
  let at = 0;
  while (at + BOX_HEADER <= bytes.length) {
    const { name, length } = headerOf(bytes.subarray(at));
    yield { name, bytes: bytes.subarray(at, at + length) };
    at += length;
  }
}

function headerOf(bytes: Buffer): { readonly name: string; readonly length: number } {
  const length = bytes.readUInt32BE(0);
  // 1 announces a length of 64 bits, 0 a box up to the end: a fragment has neither.
  if (length < BOX_HEADER) throw notFragmented(`a box of ${length} bytes`);
  return { name: bytes.toString('latin1', 4, BOX_HEADER), length };
}

function notFragmented(what: string): Error {
  return new Error(`no fragmented MP4: ${what}`);
}

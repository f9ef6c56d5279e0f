import { type Framing, MalformedResponse } from './response-head.ts';

/** Parses one response body from the bytes of a connection. */
export interface BodyReader {
  /**
   * Appends the content in these bytes to `pieces`, without copying.
   * @returns bytes that belong to the body, framing included; fewer than all only if the body has ended
   * @throws MalformedResponse
   */
  read(bytes: Buffer, pieces: Buffer[]): number;
  readonly isEnded: boolean;
  /** Whether the end of the connection ends the body. */
  readonly endsWithConnection: boolean;
}

export function bodyReader(framing: Framing): BodyReader {
  if (framing.kind === 'chunked') return new ChunkedBody();
  return framing.kind === 'length' ? new PlainBody(framing.length) : new PlainBody(Number.POSITIVE_INFINITY);
}

class PlainBody implements BodyReader {
  readonly endsWithConnection: boolean;
  #left: number;

  constructor(length: number) {
    this.#left = length;
    this.endsWithConnection = length === Number.POSITIVE_INFINITY;
  }

  get isEnded(): boolean {
    return this.#left === 0;
  }

  read(bytes: Buffer, pieces: Buffer[]): number {
    const piece = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left);
    if (piece.length > 0) pieces.push(piece);
    this.#left -= piece.length;
    return piece.length;
  }
}

/** Bytes of a chunk-size or trailer line, extensions included. */
const LINE_BYTES_MAX = 4096;
const [CR, LF] = [0x0d, 0x0a];
/** Chunk extensions are ignored (RFC 9112 §7.1.1). */
const SIZE_LINE = /^([\dA-Fa-f]{1,12})(?:[\t ]*;.*)?$/;

/** Chunked transfer coding (RFC 9112 §7.1). Trailers are dropped: they are hop-by-hop here. */
class ChunkedBody implements BodyReader {
  readonly endsWithConnection = false;
  isEnded = false;
  /** Expected next: a chunk-size line, chunk data, the CRLF after chunk data, or a trailer line. */
  #state: 'size' | 'data' | 'data-end' | 'trailer' = 'size';
  #left = 0;
  #line = '';

  read(bytes: Buffer, pieces: Buffer[]): number {
    let at = 0;
    while (at < bytes.length && !this.isEnded) {
      if (this.#state === 'data') {
        const piece = bytes.subarray(at, at + this.#left);
        pieces.push(piece);
        at += piece.length;
        this.#left -= piece.length;
        if (this.#left === 0) this.#state = 'data-end';
      } else {
        at = this.#readLine(bytes, at);
      }
    }
    return at;
  }

  /** @returns the offset after the line, or the length of the bytes if the line is incomplete */
  #readLine(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(LF, from);
    const until = end < 0 ? bytes.length : end + 1;
    this.#line += bytes.toString('latin1', from, until);
    if (this.#line.length > LINE_BYTES_MAX) throw new MalformedResponse('chunk header line too long');
    if (end < 0) return until;
    if (this.#line.charCodeAt(this.#line.length - 2) !== CR)
      throw new MalformedResponse('chunk header line without CR');
    const line = this.#line.slice(0, -2);
    this.#line = '';
    this.#takeLine(line);
    return until;
  }

  #takeLine(line: string): void {
    if (this.#state === 'size') {
      const digits = SIZE_LINE.exec(line)?.[1];
      if (digits === undefined) throw new MalformedResponse('invalid chunk size');
      this.#left = Number.parseInt(digits, 16);
      this.#state = this.#left === 0 ? 'trailer' : 'data';
    } else if (this.#state === 'data-end') {
      if (line !== '') throw new MalformedResponse('chunk data longer than the chunk size');
      this.#state = 'size';
    } else if (line === '') {
      this.isEnded = true;
    }
  }
}

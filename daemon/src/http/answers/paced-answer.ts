import { Readable } from 'node:stream';

/** Bytes of one write: a client that has read so many is one that reads. */
const PIECE_BYTES = 64 * 1024;

/** The bytes of an answer in pieces, at the pace of the client. `taken` runs when the client is ready for a piece. */
export function pacedAnswer(bytes: Uint8Array, taken: () => void): Readable {
  let at = 0;
  return new Readable({
    highWaterMark: PIECE_BYTES,
    read() {
      if (at > 0) taken();
      const end = Math.min(at + PIECE_BYTES, bytes.length);
      const piece = at < end ? bytes.subarray(at, end) : null;
      at = end;
      this.push(piece);
    },
  });
}

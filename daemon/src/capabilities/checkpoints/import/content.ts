import { PIECE_BYTES } from '../../../core/process/tree/tree-frames.ts';
import type { Content } from '../tree/segment.ts';
import type { BodyBytes } from './body-bytes.ts';
import type { SparseMap } from './sparse-map.ts';

/** Stores a piece and returns its hash. */
export type PutPiece = (bytes: Buffer) => string;

/** Stores bodies of files in pieces, as a walk divides them. */
export class ContentWriter {
  readonly #put: PutPiece;
  readonly #piece = Buffer.allocUnsafe(PIECE_BYTES);

  constructor(put: PutPiece) {
    this.#put = put;
  }

  /** @param map undefined: the file is not sparse */
  async write(body: BodyBytes, map: SparseMap | undefined): Promise<Content> {
    const pieces: string[] = [];
    let used = 0;
    while (body.left > 0) {
      let bytes = await body.some();
      while (bytes.length > 0) {
        const count = bytes.copy(this.#piece, used);
        used += count;
        bytes = bytes.subarray(count);
        if (used < PIECE_BYTES) continue;
        pieces.push(this.#put(this.#piece));
        used = 0;
      }
    }
    if (used > 0) pieces.push(this.#put(this.#piece.subarray(0, used)));
    return { pieces, extents: map && holesOf(map), isRacy: false, isTorn: false };
  }
}

/** Undefined for a file without holes, as a walk reports it. */
function holesOf({ size, extents }: SparseMap): Content['extents'] {
  const [only] = extents;
  const isPlain = extents.length === 1 && only?.offset === 0 && only.length === size;
  return isPlain || size === 0 ? undefined : extents;
}

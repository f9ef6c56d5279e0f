/** Pixels in three bytes each: red, green, blue. */
export interface Pixels {
  readonly rgb: Buffer;
  readonly width: number;
  readonly height: number;
}

/** A rectangle of the screen. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Packs pixels of 32 bits (blue, green, red, unused) to 24 bits: four of them are three words. */
export function packPixels(bgrx: Buffer, { width, height }: Pick<Area, 'width' | 'height'>): Pixels {
  const count = width * height;
  const source = wordsOf(bgrx, count);
  const target = new Uint32Array(Math.ceil((count * 3) / 4));
  for (let from = 0, to = 0; from < count; from += 4, to += 3) {
    const a = source[from] ?? 0;
    const b = source[from + 1] ?? 0;
    const c = source[from + 2] ?? 0;
    const d = source[from + 3] ?? 0;
    target[to] = swap(a) | ((b & 0xff_0000) << 8);
    target[to + 1] = ((b >>> 8) & 0xff) | ((b & 0xff) << 8) | (c & 0xff_0000) | ((c & 0xff00) << 16);
    target[to + 2] = (c & 0xff) | ((d >>> 8) & 0xff00) | ((d & 0xff00) << 8) | ((d & 0xff) << 24);
  }
  return { rgb: Buffer.from(target.buffer, 0, count * 3), width, height };
}

/** The three bytes of a pixel in the other order. */
function swap(pixel: number): number {
  return ((pixel >>> 16) & 0xff) | (pixel & 0xff00) | ((pixel & 0xff) << 16);
}

function wordsOf(bytes: Buffer, count: number): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Buffer.copyBytesFrom(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, Math.min(count, Math.floor(bytes.length / 4)));
}

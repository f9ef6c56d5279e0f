import type { TarEntry } from '../../../core/files/tar/read-entries.ts';
import { BLOCK } from '../../../core/files/tar/tar-header.ts';
import type { TreeExtent } from '../../../core/process/tree/tree-frames.ts';
import type { BodyBytes } from './body-bytes.ts';
import { refusedArchive } from './refused-archive.ts';

/** As many as a walk reports. */
const EXTENTS_MAX = 4096;
/** Digits of a number; a larger one is not exact. */
const NUMBER = /^\d{1,16}$/;
const NEWLINE = 0x0a;
const PREFIX = 'GNU.sparse.';

export interface SparseMap {
  /** Bytes of the file. */
  readonly size: number;
  /** The parts of it that the body has, one after another. */
  readonly extents: readonly TreeExtent[];
}

/** Undefined for a file that is not sparse. @throws SandboxError `invalid` for other formats than GNU's 1.0 */
export function sparseSizeOf({ isSparse, records }: TarEntry): number | undefined {
  if (!isSparse) return undefined;
  const value = (key: string): string => records.get(`${PREFIX}${key}`)?.toString('latin1') ?? '';
  if (value('major') !== '1' || value('minor') !== '0') {
    throw refusedArchive('a sparse file is not in the format GNU 1.0 of pax (tar --format=posix --sparse)');
  }
  return numberIn(value('realsize'));
}

/** The name of a sparse file; that of its header may be another one. */
export function sparseName({ records }: TarEntry): Buffer | undefined {
  return records.get(`${PREFIX}name`);
}

/**
 * Takes the map from the start of the body: a count, then offset and length of each part, a number a line, in whole
 * blocks. @throws SandboxError `invalid` if it does not describe the rest of the body
 */
export async function takeSparseMap(body: BodyBytes, size: number): Promise<SparseMap> {
  const lines = new Lines(body);
  const count = await lines.next();
  if (count > EXTENTS_MAX) throw refusedArchive(`a sparse file has over ${EXTENTS_MAX} parts`);
  const extents: TreeExtent[] = [];
  let [end, sum] = [0, 0];
  for (let index = 0; index < count; index += 1) {
    const [offset, length] = [await lines.next(), await lines.next()];
    if (offset < end || offset + length > size) throw refusedArchive('a part of a sparse file is out of its place');
    end = offset + length;
    sum += length;
    const last = extents.at(-1);
    if (last && last.offset + last.length === offset) extents.splice(-1, 1, { ...last, length: last.length + length });
    else if (length > 0) extents.push({ offset, length });
  }
  if (sum !== body.left) throw refusedArchive('the parts of a sparse file have other bytes than its body');
  return { size, extents };
}

/** The numbers of a map. */
class Lines {
  readonly #body: BodyBytes;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(body: BodyBytes) {
    this.#body = body;
  }

  async next(): Promise<number> {
    let text = '';
    for (;;) {
      if (this.#at >= this.#block.length) {
        this.#block = await this.#body.exactly(BLOCK);
        this.#at = 0;
      }
      const end = this.#block.indexOf(NEWLINE, this.#at);
      text += this.#block.toString('latin1', this.#at, end < 0 ? this.#block.length : end);
      this.#at = end < 0 ? this.#block.length : end + 1;
      if (end >= 0 || text.length > BLOCK) return numberIn(text);
    }
  }
}

function numberIn(text: string): number {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw refusedArchive('the map of a sparse file cannot be read');
}

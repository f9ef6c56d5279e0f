import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { errnoName } from '../../../core/errno-name.ts';
import { readSmallFile } from '../../../core/files/small-file.ts';
import { replaceFile } from '../../../core/records/replace-file.ts';

/** Numbers that one write reserves. */
const BLOCK = 1000;
/** Where numbers begin that cannot be reserved: far from those that are. */
const UNRESERVED = { min: 10 ** 9, max: 9 * 10 ** 9 };

/**
 * Hands out the numbers of references. No two nodes share one, of whichever tab and whichever run of the daemon: a
 * reference that outlives its daemon must not name another element.
 */
export class RefNumbers {
  readonly #file: string;
  #last: number | undefined;
  #reserved = 0;

  /** @param directory keeps which numbers are taken */
  constructor(directory: string) {
    this.#file = join(directory, 'last-reference');
  }

  next(): number {
    if (this.#last === undefined || this.#last >= this.#reserved) this.#last = this.#reserve();
    this.#last += 1;
    return this.#last;
  }

  /** Answers the number before the next one. */
  #reserve(): number {
    try {
      const last = this.#last ?? readNumber(this.#file);
      replaceFile(this.#file, String(last + BLOCK));
      this.#reserved = last + BLOCK;
      return last;
    } catch {
      // A disk that is full, or a file that is not ours: chance keeps the runs apart.
      this.#reserved = Number.POSITIVE_INFINITY;
      return randomInt(UNRESERVED.min, UNRESERVED.max);
    }
  }
}

/** @throws Error if the file cannot be read or has no number */
function readNumber(file: string): number {
  try {
    const text = readSmallFile(file, 32);
    if (!/^\d{1,9}$/.test(text)) throw new Error(`no number in ${file}`);
    return Number(text);
  } catch (error) {
    if (errnoName(error) === 'ENOENT') return 0;
    throw error;
  }
}

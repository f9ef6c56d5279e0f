import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { SpoolFile } from './spool-file.ts';

/** Archives that arrive or are read at once: each may take 4 GiB of the disk. */
const SPOOLS_MAX = 2;

/** Archives on their way into the store. */
export class Spools {
  readonly #directory: () => string;
  #count = 0;

  /** @param directory of the store */
  constructor(directory: () => string) {
    this.#directory = directory;
  }

  /** @throws SandboxError `capacity` for too many, `too_large`, `disk_full`; what the source or the use throws */
  async use<T>(source: AsyncIterable<Buffer>, use: (spool: SpoolFile) => Promise<T>): Promise<T> {
    if (this.#count >= SPOOLS_MAX) {
      throw new SandboxError('capacity', `${SPOOLS_MAX} archives are being imported`, {
        hint: 'repeat the call when one of them has ended',
        retryAfter: 1,
      });
    }
    this.#count += 1;
    try {
      await using spool = await SpoolFile.open(this.#directory());
      await spool.write(source);
      return await use(spool);
    } finally {
      this.#count -= 1;
    }
  }
}

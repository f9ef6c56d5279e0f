import { type Cipheriv, createCipheriv, createHash, randomInt } from 'node:crypto';
import process from 'node:process';

const VARIABLE = 'TEST_SEED';
const BUFFERED_BYTES = 64 * 1024;

/** Random input of a test. The seed is printed, and the environment variable TEST_SEED replays it. */
export class SeededRandom {
  readonly #stream: Cipheriv;
  #buffer = Buffer.alloc(0);

  /** `what`: name of the input in the line with the seed. */
  constructor(what: string) {
    const seed = process.env[VARIABLE] ?? String(randomInt(2 ** 32));
    process.stderr.write(`${what}: ${VARIABLE}=${seed} replays it\n`);
    this.#stream = createCipheriv('aes-256-ctr', createHash('sha256').update(seed).digest(), Buffer.alloc(16));
  }

  bytes(length: number): Buffer {
    while (this.#buffer.length < length) {
      const wanted = Math.max(BUFFERED_BYTES, length - this.#buffer.length);
      this.#buffer = Buffer.concat([this.#buffer, this.#stream.update(Buffer.alloc(wanted))]);
    }
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return taken;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor((this.bytes(4).readUInt32LE() / 2 ** 32) * end);
  }
}

/** So many random bytes. */
export function seededBytes(length: number, what = 'random bytes'): Buffer {
  return new SeededRandom(what).bytes(length);
}

import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { keyIdOf } from '../../core/access/credential.ts';

/** The API key of a deployment. Keys are compared as keyed hashes, so timing reveals neither length nor prefix. */
export class ApiKey {
  readonly #salt = randomBytes(32);
  readonly #digest: Buffer;
  readonly #key: string;
  readonly #seed = randomBytes(4).readInt32LE();
  readonly #checksum: number;

  constructor(key: string) {
    this.#key = key;
    this.#digest = this.#hash(key);
    this.#checksum = this.#sum(key);
  }

  matches(candidate: string): boolean {
    return timingSafeEqual(this.#hash(candidate), this.#digest);
  }

  /** As `matches`, for many texts: a checksum, which depends on every character, selects those to be hashed. */
  isAmong(texts: Iterable<string>): boolean {
    for (const text of texts) if (this.#sum(text) === this.#checksum && this.matches(text)) return true;
    return false;
  }

  /** Derives a key for another purpose (HKDF, RFC 5869); it does not reveal the API key. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key, '', purpose, 32));
  }

  /** Names the key, and reveals nothing of it. */
  get id(): string {
    return keyIdOf(this.#key);
  }

  /** FNV-1a from a secret start. */
  #sum(text: string): number {
    let sum = this.#seed;
    for (let i = 0; i < text.length; i += 1) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
    return sum;
  }

  #hash(text: string): Buffer {
    return createHmac('sha256', this.#salt).update(text).digest();
  }
}

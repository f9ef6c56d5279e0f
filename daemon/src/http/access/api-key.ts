import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** The API key of a deployment. Keys are compared as keyed hashes, so timing reveals neither length nor prefix. */
export class ApiKey {
  readonly #salt = randomBytes(32);
  readonly #digest: Buffer;
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
    this.#digest = this.#hash(key);
  }

  matches(candidate: string): boolean {
    return timingSafeEqual(this.#hash(candidate), this.#digest);
  }

  /** Derives a key for another purpose (HKDF, RFC 5869); it does not reveal the API key. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key, '', purpose, 32));
  }

  #hash(text: string): Buffer {
    return createHmac('sha256', this.#salt).update(text).digest();
  }
}

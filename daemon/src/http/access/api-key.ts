import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** The one credential of a deployment. It is compared over keyed hashes, so neither its length nor a prefix shows in time. */
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

  /** A key for another purpose; whoever knows it cannot tell the API key (RFC 5869). */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key, '', purpose, 32));
  }

  #hash(text: string): Buffer {
    return createHmac('sha256', this.#salt).update(text).digest();
  }
}

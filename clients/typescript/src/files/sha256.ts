import { builtin, hasBuiltins } from '../core/builtin.ts';

/** A SHA-256 (FIPS 180-4) of bytes that arrive in pieces, which Web Crypto does not offer. */
export interface Sha256 {
  update(bytes: Uint8Array): void;
  /** In hexadecimal digits. */
  digest(): string;
}

export async function sha256(): Promise<Sha256> {
  if (!hasBuiltins()) return new PortableSha256();
  const hash = (await builtin('node:crypto')).createHash('sha256');
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') };
}

const BLOCK = 64;
const [K, INITIAL] = constants();

/** The fractional parts of roots of the first primes (FIPS 180-4 §4.2.2, §5.3.3). */
function constants(): readonly [Uint32Array, Uint32Array] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < 64; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32);
  return [
    Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
    Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
  ];
}

export class PortableSha256 implements Sha256 {
  readonly #state = INITIAL.slice();
  readonly #words = new Uint32Array(BLOCK);
  readonly #block = new Uint8Array(BLOCK);
  readonly #view = new DataView(this.#block.buffer);
  #filled = 0;
  #length = 0;

  update(bytes: Uint8Array): void {
    this.#length += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      const taken = Math.min(BLOCK - this.#filled, bytes.length - at);
      this.#block.set(bytes.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled === BLOCK) this.#compress();
    }
  }

  digest(): string {
    const bits = this.#length * 8;
    this.#block.fill(0, this.#filled);
    this.#block[this.#filled] = 0x80;
    if (this.#filled >= BLOCK - 8) {
      this.#compress();
      this.#block.fill(0);
    }
    this.#view.setUint32(BLOCK - 8, Math.floor(bits / 2 ** 32));
    this.#view.setUint32(BLOCK - 4, bits % 2 ** 32);
    this.#compress();
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, '0')).join('');
  }

  #compress(): void {
    const words = this.#words;
    this.#filled = 0;
    for (let index = 0; index < 16; index++) words[index] = this.#view.getUint32(4 * index);
    for (let index = 16; index < BLOCK; index++) {
      const [a, b] = [at(words, index - 15), at(words, index - 2)];
      const s0 = rotated(a, 7) ^ rotated(a, 18) ^ (a >>> 3);
      const s1 = rotated(b, 17) ^ rotated(b, 19) ^ (b >>> 10);
      words[index] = at(words, index - 16) + s0 + at(words, index - 7) + s1;
    }
    this.#rounds(words);
  }

  #rounds(words: Uint32Array): void {
    const state = this.#state;
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let index = 0; index < BLOCK; index++) {
      const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(K, index) + at(words, index)) | 0;
      const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, index) => {
      state[index] = at(state, index) + value;
    });
  }
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

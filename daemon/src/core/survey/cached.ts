/** A value that is made on demand, by one maker at a time, and kept for a while. A failure is not kept. */
export class Cached<T> {
  readonly #maxAgeMs: number;
  readonly #make: () => Promise<T>;
  #making: Promise<T> | undefined;
  #made: { readonly value: T; readonly at: number } | undefined;

  constructor(maxAgeMs: number, make: () => Promise<T>) {
    this.#maxAgeMs = maxAgeMs;
    this.#make = make;
  }

  /** `fresh`: made after the previous value, whatever its age; calls that come together share one. */
  async get(fresh = false): Promise<T> {
    const known = this.#made;
    if (!fresh && known !== undefined && performance.now() - known.at < this.#maxAgeMs) return known.value;
    this.#making ??= this.#makeAnew();
    return this.#making;
  }

  async #makeAnew(): Promise<T> {
    try {
      const value = await this.#make();
      this.#made = { value, at: performance.now() };
      return value;
    } finally {
      this.#making = undefined;
    }
  }
}

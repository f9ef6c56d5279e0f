const SESSION = 0;
const COUNT = 1;

/** Says from one thread to another which session a thread works for; readable while that thread is busy. */
export class WorkMark {
  readonly #values: Int32Array<SharedArrayBuffer>;

  constructor(buffer: SharedArrayBuffer) {
    this.#values = new Int32Array(buffer);
  }

  static buffer(): SharedArrayBuffer {
    return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  }

  begin(session: number): void {
    Atomics.add(this.#values, COUNT, 1);
    Atomics.store(this.#values, SESSION, session);
  }

  end(): void {
    Atomics.store(this.#values, SESSION, 0);
  }

  /** The session; undefined between two pieces of work. */
  get session(): number | undefined {
    return Atomics.load(this.#values, SESSION) || undefined;
  }

  /** Pieces of work that were begun. */
  get count(): number {
    return Atomics.load(this.#values, COUNT);
  }
}

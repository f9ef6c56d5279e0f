/**
 * Begins requests that wait behind others of their connection: one per turn of the event loop, of all connections
 * together, so that requests of other connections are read and answered between them.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  wait(begin: () => void): void {
    if (this.#waiting.push(begin) === 1) setImmediate(this.#next);
  }

  readonly #next = (): void => {
    const begin = this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(this.#next);
    begin?.();
  };
}

/** Calls `onIdle` once nothing has happened for that many milliseconds. */
export class IdleTimer implements Disposable {
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number, onIdle: () => void) {
    this.#timer = setTimeout(onIdle, ms);
  }

  touch(): void {
    this.#timer.refresh();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

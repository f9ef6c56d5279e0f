import { Waiters } from '@sandbox/api/wait.ts';
import { type ClientPort, isBehind } from '../../../core/connection/client-port.ts';

/** Bytes that may be sent to a viewer past its last acknowledgement. */
const WINDOW_BYTES = 1024 * 1024;

/** Decides when a viewer takes more output. */
export class ViewerFlow {
  readonly #port: ClientPort;
  readonly #changes = new Waiters();
  #isPaused = false;
  /** Undefined: the viewer does not acknowledge. */
  #acknowledged: number | undefined;

  constructor(port: ClientPort) {
    this.#port = port;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#changes.wake();
  }

  /** The viewer has drawn the output before `offset`. */
  acknowledge(offset: number): void {
    this.#acknowledged = Math.max(this.#acknowledged ?? 0, offset);
    this.#changes.wake();
  }

  /** Waits until the viewer takes the output from `offset` on, or is gone; answers whether it had to wait. */
  async ready(offset: number): Promise<boolean> {
    const { gone } = this.#port;
    for (let waited = false; ; waited = true) {
      if (gone.aborted) return waited;
      if (this.#isPaused || this.#isAhead(offset)) await this.#changes.next({ signal: gone });
      else if (isBehind(this.#port)) await this.#port.drained();
      else return waited;
    }
  }

  #isAhead(offset: number): boolean {
    return this.#acknowledged !== undefined && offset - this.#acknowledged > WINDOW_BYTES;
  }
}

import { waitFor } from '@sandbox/api/wait.ts';
import type { KeeperConnection } from '../keeper-connection.ts';
import type { FrameWriter } from '../keeper-frames.ts';

/** Requests that wait for answers of the keeper, by their number, which the answer repeats (`docs/keeper.md`). */
export class KeeperAnswers<Answer> {
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  /** The answer of a keeper that has ended. */
  readonly #ended: Answer;
  #last = 0;

  constructor(ended: Answer) {
    this.#ended = ended;
  }

  /** Requests that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Sends a request; `silent` if it has no answer after that many milliseconds. */
  async ask(
    connection: KeeperConnection,
    frame: (request: number) => FrameWriter,
    ms: number,
  ): Promise<Answer | 'silent'> {
    if (!connection.isOpen) return this.#ended;
    const request = ++this.#last % 0x1_0000_0000;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#waiting.set(request, resolve);
    connection.send(frame(request));
    const isAnswered = (await waitFor(promise, { ms })) === 'settled';
    this.#waiting.delete(request);
    return isAnswered ? promise : 'silent';
  }

  /** An answer came; one that is not waited for any more is dropped. */
  answered(request: number, answer: Answer): void {
    this.#waiting.get(request)?.(answer);
  }

  /** The keeper ended. */
  answerAll(): void {
    for (const resolve of this.#waiting.values()) resolve(this.#ended);
  }
}

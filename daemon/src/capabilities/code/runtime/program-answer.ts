import { ignore } from '@sandbox/program/ignore.ts';

/** Milliseconds after which a program that did not answer is asked again: the machine may have been busy. */
const ASK_AGAIN_MS = 15_000;

/** What a program answered. Where it did not answer it is asked again later, and no call waits for that. */
export class ProgramAnswer<Answer> {
  readonly #ask: () => Promise<Answer | undefined>;
  #answer: Promise<Answer | undefined>;
  #askedAt = performance.now();

  /** @param ask runs the program; undefined if it does not answer */
  constructor(ask: () => Promise<Answer | undefined>) {
    this.#ask = ask;
    this.#answer = ask();
  }

  /** Milliseconds of `performance.now`. */
  get askedAt(): number {
    return this.#askedAt;
  }

  /** At once if it has answered before. */
  async get(): Promise<Answer | undefined> {
    const answer = await this.#answer;
    const isDue = answer === undefined && performance.now() - this.#askedAt >= ASK_AGAIN_MS;
    if (isDue) void this.renewed().catch(ignore);
    return answer;
  }

  /** Asks now. Where the program does not answer, what it answered before stays; `get` does not wait meanwhile. */
  async renewed(): Promise<Answer | undefined> {
    this.#askedAt = performance.now();
    const next = this.#ask();
    const answer = await next;
    if (answer !== undefined) this.#answer = next;
    return answer ?? (await this.#answer);
  }
}

import type { Answer } from './answers.ts';

/** Answers that are remembered, and their bytes. */
const MAX_ANSWERS = 1000;
const MAX_BYTES = 32 * 1024 ** 2;

/** Answers by the id of their request: a request that is sent again is not done again. */
export class Answered {
  readonly #answers = new Map<string, { readonly answer: Promise<Answer>; bytes: number }>();
  #bytes = 0;

  /** The answer of an earlier request of that id, also of one that still runs. */
  once(id: string | undefined, answer: () => Promise<Answer>): Promise<Answer> {
    if (id === undefined || id === '') return answer();
    const known = this.#answers.get(id);
    if (known) return known.answer;
    const entry = { answer: answer(), bytes: 0 };
    this.#answers.set(id, entry);
    entry.answer.then(
      ({ body }) => {
        entry.bytes = body.length;
        this.#bytes += body.length;
        this.#trim();
      },
      () => this.#answers.delete(id),
    );
    return entry.answer;
  }

  #trim(): void {
    for (const [id, { bytes }] of this.#answers) {
      if (this.#bytes <= MAX_BYTES && this.#answers.size <= MAX_ANSWERS) return;
      if (bytes === 0) continue;
      this.#answers.delete(id);
      this.#bytes -= bytes;
    }
  }
}

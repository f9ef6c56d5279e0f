import { onAbort } from '@sandbox/api/wait.ts';
import { textLengthOf } from '../../http/protocols/json-pieces.ts';
import type { Answer } from './answers.ts';

/** Answers that are remembered, and their bytes. */
const MAX_ANSWERS = 1000;
const MAX_BYTES = 32 * 1024 ** 2;
/** Bytes of an answer without texts. */
const ENTRY_BYTES = 256;
/** Milliseconds for which a request goes on after its client has left, who may send it again. */
const GRACE_MS = 10_000;

interface Request {
  readonly id: string | undefined;
  /** Fires when the client leaves. */
  readonly gone: AbortSignal;
  /** Whether all of its body has arrived. */
  readonly isWhole: () => boolean;
}

type Work = (gone: AbortSignal) => Promise<Answer>;

interface Entry extends Pick<Request, 'isWhole'> {
  readonly answer: Promise<Answer>;
  readonly abandoned: AbortController;
  /** Clients that wait for it. */
  waiting: number;
  isSettled: boolean;
  bytes: number;
}

/** Answers by the id of their request: a request that is sent again is not done again. */
export class Answered {
  readonly #answers = new Map<string, Entry>();
  #bytes = 0;

  /** The answer of an earlier request of that id, also of one that still runs, although its client has left. */
  async once(request: Request, work: Work): Promise<Answer> {
    const { id, gone } = request;
    if (id === undefined || id === '') return await work(gone);
    const known = this.#answers.get(id);
    const entry = known ?? this.#begin(id, request, work);
    entry.waiting += 1;
    onAbort(gone, () => {
      entry.waiting -= 1;
      if (!entry.isSettled) setTimeout(() => this.#abandon(id, entry), GRACE_MS).unref();
    });
    const answer = await entry.answer;
    // The earlier one was cut before all of its body had arrived.
    return known && !known.isWhole() ? await this.once(request, work) : answer;
  }

  #begin(id: string, { isWhole }: Request, work: Work): Entry {
    const abandoned = new AbortController();
    const entry = { answer: work(abandoned.signal), abandoned, isWhole, waiting: 0, isSettled: false, bytes: 0 };
    this.#answers.set(id, entry);
    entry.answer.then(
      ({ value }) => {
        entry.isSettled = true;
        if (!isWhole()) return this.#forget(id, entry);
        if (this.#answers.get(id) !== entry) return;
        entry.bytes = ENTRY_BYTES + 2 * textLengthOf(value);
        this.#bytes += entry.bytes;
        this.#trim();
      },
      () => this.#forget(id, entry),
    );
    return entry;
  }

  #abandon(id: string, entry: Entry): void {
    if (entry.waiting > 0 || entry.isSettled) return;
    this.#forget(id, entry);
    entry.abandoned.abort();
  }

  #forget(id: string, entry: Entry): void {
    if (this.#answers.get(id) === entry) this.#answers.delete(id);
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

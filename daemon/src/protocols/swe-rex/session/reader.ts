import { timeoutSignal } from '@sandbox/api/wait.ts';
import type { TerminalsPort } from '../../../core/ports/terminals-port.ts';
import { Raised } from '../answers.ts';
import type { Awaited, Expect, Found } from './expect.ts';

/** Bytes of output that a wait keeps: the last ones. */
const KEPT = 10 * 1024 ** 2;
/** Bytes before new output in which a match may begin. */
const OVERLAP = 4096;

export const ENDED = 'the shell of the session has ended: close and create it again';

export interface Match {
  /** Of what was awaited. */
  readonly index: number;
  /** Output before it, a character a byte. */
  readonly before: string;
  readonly matched: string;
}

interface ReaderParts {
  readonly terminals: TerminalsPort;
  readonly expect: Expect;
}

/** Reads the output of a terminal from the end of the last call. */
export class Reader {
  readonly #terminals: TerminalsPort;
  readonly #expect: Expect;
  readonly #id: string;
  readonly #gone: AbortSignal;
  /** Offset of the byte after `#text`. */
  #next: number;
  #text = '';

  constructor({ terminals, expect }: ReaderParts, id: string, at: number, gone: AbortSignal) {
    this.#terminals = terminals;
    this.#expect = expect;
    this.#id = id;
    this.#next = at;
    this.#gone = gone;
  }

  /** Offset of the first byte that no match has passed. */
  get at(): number {
    return this.#next - this.#text.length;
  }

  /** Forgets what was read. */
  skip(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /**
   * Reads until one of these occurs.
   * @returns undefined after that time without a match; the text that was read stays
   * @throws Raised if the shell has ended
   */
  async until(awaited: readonly Awaited[], seconds: number | undefined): Promise<Match | undefined> {
    const late = seconds === undefined ? undefined : timeoutSignal(Math.max(1, Math.round(seconds * 1000)));
    const signal = late === undefined ? this.#gone : AbortSignal.any([this.#gone, late]);
    const known = await this.#take(awaited, 0, signal);
    if (known) return known;
    for await (const event of this.#terminals.follow(this.#id, signal, this.#next)) {
      if (event.type === 'exit') {
        throw new Raised('SessionNotInitializedError', ENDED);
      }
      const from = Math.max(0, this.#text.length - OVERLAP);
      this.#text = (this.#text + event.bytes.toString('latin1')).slice(-KEPT);
      this.#next = event.next;
      const found = await this.#take(awaited, from, signal);
      if (found) return found;
    }
    return undefined;
  }

  async #take(awaited: readonly Awaited[], from: number, signal: AbortSignal): Promise<Match | undefined> {
    const found = await this.#find(awaited, from, signal);
    if (!found) return undefined;
    const before = this.#text.slice(0, found.start);
    const matched = this.#text.slice(found.start, found.end);
    this.#text = this.#text.slice(found.end);
    return { index: found.index, before, matched };
  }

  /** Undefined also when the signal fires while other searches are before this one. */
  async #find(awaited: readonly Awaited[], from: number, signal: AbortSignal): Promise<Found | undefined> {
    try {
      return await this.#expect.firstOf(awaited, this.#text, from, signal);
    } catch (error) {
      if (error === signal.reason) return undefined;
      throw error;
    }
  }
}

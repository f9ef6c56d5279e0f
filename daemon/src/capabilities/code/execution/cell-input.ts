import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { InputRequest } from '../runtime/output.ts';

/** What a call says about the input of its cell. */
export interface InputTerms {
  /** Answers to prompts, in their order. */
  readonly stdin?: readonly string[] | undefined;
  /** The caller can answer prompts while the cell runs. */
  readonly isInteractive?: boolean | undefined;
}

/** Whether a prompt of such a cell can be answered. */
export function takesInput({ stdin = [], isInteractive = false }: InputTerms): boolean {
  return isInteractive || stdin.length > 0;
}

/** The prompts of a cell: each takes the next answer of its call, then waits for a caller, or gets the end of input. */
export class CellInput {
  readonly #terms: InputTerms;
  #asked = 0;
  #waiting: InputRequest | undefined;
  #answer: ((text: string | undefined) => void) | undefined;

  constructor(terms: InputTerms) {
    this.#terms = terms;
  }

  /** The prompt that waits for a caller. */
  get waiting(): InputRequest | undefined {
    return this.#waiting;
  }

  get counted(): number {
    return this.#asked;
  }

  /** From now on answers go there; undefined is the end of input. */
  bind(answer: (text: string | undefined) => void): void {
    this.#answer = answer;
  }

  /** Counts a prompt; false: an earlier daemon has counted it. */
  count({ number }: InputRequest): boolean {
    if (number !== undefined && number <= this.#asked) return false;
    this.#asked += 1;
    return true;
  }

  /** Answers the prompt that was counted last, or has it wait. */
  ask(request: InputRequest): void {
    const { stdin = [], isInteractive = false } = this.#terms;
    const text = stdin[this.#asked - 1];
    if (text === undefined && isInteractive) this.#waiting = request;
    else this.#answer?.(text);
  }

  /** @throws SandboxError `conflict` if no prompt waits */
  answer(text: string): void {
    if (this.#waiting === undefined || this.#answer === undefined) {
      throw new SandboxError('conflict', 'the cell does not wait for input', {
        hint: 'each prompt takes one answer; waiting_for_input of the execution has the prompt that waits',
      });
    }
    this.#waiting = undefined;
    this.#answer(text);
  }

  end(): void {
    this.#waiting = undefined;
  }
}

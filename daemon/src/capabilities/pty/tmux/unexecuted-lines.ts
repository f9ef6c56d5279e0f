import { randomBytes } from 'node:crypto';

/** Characters of lines, above which the server is asked what it has executed. */
const MANY = 128 * 1024;

interface Line {
  readonly number: number;
  readonly text: string;
}

/**
 * The commands for a tmux server that it may not have executed yet. Each also counts itself in a variable of the tmux
 * session, in the same line, so that the server executes both or neither.
 */
export class UnexecutedLines {
  /** Hidden, so that no program gets it; no other daemon has used it. */
  readonly variable = `SVC_TYPED_${randomBytes(8).toString('hex')}`;
  readonly #session: string;
  #lines: Line[] = [];
  #length = 0;
  #last = 0;
  /** Number of the last line that the client has got. */
  #taken = 0;

  /** `session`: as the target of a tmux command. */
  constructor(session: string) {
    this.#session = session;
  }

  get areNone(): boolean {
    return this.#lines.length === 0;
  }

  get areMany(): boolean {
    return this.#length > MANY;
  }

  add(command: string): void {
    this.#last += 1;
    const text = `${command} ; set-environment -h -t ${this.#session} ${this.variable} ${this.#last}\n`;
    this.#lines.push({ number: this.#last, text });
    this.#length += text.length;
  }

  /** The lines that were not taken before. */
  take(): string {
    const lines = this.#lines.filter(({ number }) => number > this.#taken);
    this.#taken = this.#last;
    return lines.map(({ text }) => text).join('');
  }

  /**
   * The server has counted up to `value`; undefined: the session is gone. `hasEnded`: the client has ended, and another
   * one takes the lines that are left.
   */
  executed(value: string | undefined, hasEnded: boolean): void {
    const number = value === undefined ? this.#last : Number(value);
    this.#lines = this.#lines.filter((line) => line.number > number);
    this.#length = this.#lines.reduce((sum, { text }) => sum + text.length, 0);
    if (hasEnded) this.#taken = number;
  }
}

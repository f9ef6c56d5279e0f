import type { Screen } from '../screen/screen.ts';
import type { History } from '../session/history.ts';

/** Milliseconds that a shell may take to show its prompt before it is typed to anyway. */
const FIRST_PROMPT_MS = 2000;
const NEXT_PROMPT_MS = 200;
/** Milliseconds that a shell gets to finish its prompt once it has begun to write. */
const REST_MS = 100;
/** Milliseconds that the screen may take to come up to date before a command is typed. */
const SCREEN_MS = 1000;

/** The prompt of a session's shell, as far as it can be seen from outside. */
export class Prompt {
  /** The next prompt comes after this offset. */
  after = 0;
  readonly #history: History;
  readonly #screen: Screen;
  /** It is empty: there is nothing to wait for. */
  #isEmpty = false;

  constructor(history: History, screen: Screen) {
    this.#history = history;
    this.#screen = screen;
  }

  /** Waits for it: a line that is typed before would be echoed twice. `base`: where the output of the shell begins. */
  async settled(base: number | undefined): Promise<void> {
    const first = base === this.after;
    await this.#history.advanced(this.after, AbortSignal.timeout(first ? FIRST_PROMPT_MS : NEXT_PROMPT_MS));
    if (this.#isEmpty && !first) return;
    const { end } = this.#history;
    if ((await this.look()).ps1 === '') await this.#history.advanced(end, AbortSignal.timeout(REST_MS));
    this.#isEmpty = this.#history.end === end && (await this.look()).ps1 === '';
  }

  /** The line up to the cursor, and the column of that; no column where the screen is far behind. */
  async look(): Promise<{ readonly ps1: string; readonly column: number | undefined }> {
    const { end } = this.#history;
    await this.#screen.reach(end, AbortSignal.timeout(SCREEN_MS));
    if (this.#screen.offset < end) return { ps1: '', column: undefined };
    const { output, cursor } = await this.#screen.lookNow('line');
    return { ps1: output, column: cursor.x };
  }
}

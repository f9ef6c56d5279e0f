import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Screen } from '../screen/screen.ts';
import type { History } from '../session/history.ts';

/** Milliseconds to wait for a prompt; the command is typed after them in any case. */
const FIRST_PROMPT_MS = 2000;
const NEXT_PROMPT_MS = 200;
/** Milliseconds to wait for the rest of a prompt. */
const REST_MS = 100;
/** Milliseconds to wait until the screen has drawn all output. */
const SCREEN_MS = 1000;

export interface Look {
  readonly ps1: string;
  readonly column: number | undefined;
}

export const NOTHING: Look = { ps1: '', column: undefined };

/** The prompt of a shell, as its terminal shows it. */
export class Prompt {
  /** The next prompt is shown after this offset. */
  after = 0;
  readonly #history: History;
  readonly #screen: Screen;
  /** The prompt is empty, so no output shows it. */
  #isEmpty = false;

  constructor(history: History, screen: Screen) {
    this.#history = history;
    this.#screen = screen;
  }

  /** Waits for the prompt, since a line typed before it is echoed twice. `base`: begin of the shell's output. */
  async settled(base: number | undefined): Promise<void> {
    const first = base === this.after;
    await this.#history.advanced(this.after, AbortSignal.timeout(first ? FIRST_PROMPT_MS : NEXT_PROMPT_MS));
    if (this.#isEmpty && !first) return;
    const { end } = this.#history;
    if ((await this.look()).ps1 === '') await this.#history.advanced(end, AbortSignal.timeout(REST_MS));
    this.#isEmpty = this.#history.end === end && (await this.look()).ps1 === '';
  }

  /** The line up to the cursor, and the column of the cursor; no column where the screen has not drawn all output. */
  async look(): Promise<Look> {
    if (this.#screen.failure !== undefined) return NOTHING;
    const { end } = this.#history;
    await this.#screen.reach(end, AbortSignal.timeout(SCREEN_MS));
    if (this.#screen.offset < end) return NOTHING;
    const look = await this.#screen.lookNow('line').catch(noLook);
    // A screen whose thread died begins again.
    if (look === undefined || look.offset < end) return NOTHING;
    const { output, cursor } = look;
    return { ps1: output, column: cursor.x };
  }
}

/** A prompt that cannot be seen does not keep a command from being typed. */
function noLook(error: unknown): undefined {
  if (!(error instanceof SandboxError)) throw error;
}

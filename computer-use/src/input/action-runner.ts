import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { Slots } from '@sandbox/api/wait.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import { Selections } from '../clipboard/selections.ts';
import type { NodeActions } from '../part.ts';
import { isXError } from '../windows/properties.ts';
import type { XLink } from '../x11/x-link.ts';
import type { XSession } from '../x11/x-session.ts';
import type { DesktopAction } from './action.ts';
import { Keyboard } from './keyboard.ts';
import { type InputTerms, prepare } from './prepare.ts';
import { XInput } from './x-input.ts';

/** Milliseconds that a call waits for pointer and keyboard; a batch may hold them for 20 s of WAIT. */
export const TURN_MS = 30_000;
/** Milliseconds in which one action has to end. */
export const ACTION_MS = 40_000;

export interface RunTerms {
  /** Fires when the client is gone: no further action begins. */
  readonly signal: AbortSignal;
  /** Called before the first event of each action. */
  readonly onBegin: () => void;
}

export interface RunEnd {
  readonly performed: number;
  /** The error of the action after those, and whether it had begun. */
  readonly failure?: { readonly error: SandboxError; readonly hasBegun: boolean };
}

type Driven = Omit<InputTerms, 'input' | 'nodes'>;

/** Carries actions out, those of one call at a time: no other caller acts between two of a batch. */
export class ActionRunner {
  readonly #link: XLink;
  readonly #nodes: NodeActions | undefined;
  readonly #logger: Logger;
  readonly #turns = new Slots(1);
  #driven: Driven | undefined;

  constructor(link: XLink, nodes: NodeActions | undefined, logger: Logger) {
    this.#link = link;
    this.#logger = logger;
    this.#nodes = nodes;
    link.onConnect(async (session) => {
      this.#driven = {
        session,
        selections: await Selections.open(session),
        keyboard: new Keyboard(session),
      };
    });
  }

  /** The selections of the connection. @throws SandboxError `unavailable` without a display */
  async selections(): Promise<Selections> {
    return (await this.#use()).selections;
  }

  /**
   * Carries the actions out until one fails. What they hold is released if one fails.
   * @throws SandboxError `unavailable` before the first, without a display or while others act
   */
  async run(actions: readonly DesktopAction[], { signal, onBegin }: RunTerms): Promise<RunEnd> {
    using _turn = await this.#turn(signal);
    const driven = await this.#use();
    // Made for each call: it checks for XTEST, and knows what this call holds.
    const terms: InputTerms = { ...driven, input: new XInput(driven.session), nodes: this.#nodes };
    for (const [performed, action] of actions.entries()) {
      const end = await this.#one(terms, action, { signal, onBegin });
      if (end === undefined) continue;
      if (actions.length > 1) await terms.input.release().catch(() => undefined);
      return { performed, failure: end };
    }
    return { performed: actions.length };
  }

  async #one(terms: InputTerms, action: DesktopAction, { signal, onBegin }: RunTerms): Promise<RunEnd['failure']> {
    let hasBegun = false;
    try {
      if (signal.aborted) throw new SandboxError('unavailable', 'the client is gone');
      const input = await prepare(terms, action);
      hasBegun = true;
      onBegin();
      await input(AbortSignal.any([signal, AbortSignal.timeout(ACTION_MS)]));
      return undefined;
    } catch (error) {
      const known = knownError(error);
      // Once it has begun, a defect too is an answer that no client takes for a reason to repeat the call.
      if (known === undefined && !hasBegun) throw error;
      if (known === undefined) this.#logger.error({ err: error }, 'unexpected error of an action');
      return { error: known ?? new SandboxError('io', 'internal error', { cause: error }), hasBegun };
    }
  }

  async #use(): Promise<Driven> {
    const session: XSession = await this.#link.use();
    const driven = this.#driven;
    if (driven?.session !== session) throw new SandboxError('unavailable', 'the display has just been restarted');
    return driven;
  }

  async #turn(signal: AbortSignal): Promise<Disposable> {
    try {
      return await this.#turns.take(AbortSignal.any([signal, AbortSignal.timeout(TURN_MS)]));
    } catch (error) {
      throw new SandboxError('unavailable', 'other actions hold pointer and keyboard', {
        hint: 'repeat the call when they have ended',
        cause: error,
      });
    }
  }
}

/** An abort is a deadline or a client that went; the display refuses what concerns a window that is gone. */
function knownError(error: unknown): SandboxError | undefined {
  if (error instanceof SandboxError) return error;
  if (error instanceof DOMException) {
    return new SandboxError('unavailable', 'the action did not end in time', { cause: error });
  }
  if (!isXError(error)) return undefined;
  const reason = error instanceof Error ? error.message : 'error';
  return new SandboxError('not_found', `the display refused the action: ${reason}`, {
    hint: 'the window may have closed; take a screenshot',
    cause: error,
  });
}

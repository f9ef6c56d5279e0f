import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { LongTimer, pollUntil, waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { PtySession } from '../session/session.ts';
import { PATIENCE_MS } from '../session/shell.ts';
import { Ending, type EndingSignal } from './ending.ts';
import type { ExecRun } from './exec-run.ts';
import type { Entry } from './exec-script.ts';
import type { ExecStatus } from './exec-status.ts';

/** Milliseconds between two looks at the foreground group of a terminal. */
const LOOK_MS = 20;

export interface ExecRequest {
  readonly command: string;
  /** The shell enters it first. */
  readonly entry?: Entry | undefined;
  /** Answer as soon as the command is typed. */
  readonly async: boolean;
  /** Seconds that the call waits; the command continues. Undefined: until its end. */
  readonly timeout?: number | undefined;
  /** Seconds after which the command is ended. */
  readonly hardTimeout?: number | undefined;
  /** Seconds without output after which the call is answered; the command continues. Undefined: never. */
  readonly noChangeTimeout?: number | undefined;
  /** Called once the command is typed. */
  readonly begun?: ((run: ExecRun) => void) | undefined;
}

export interface ExecOutcome {
  readonly run: ExecRun;
  readonly status: ExecStatus;
}

/** Runs the commands of one session one after the other. */
export class ExecQueue {
  readonly #session: PtySession;
  #tail: Promise<void> = Promise.resolve();
  /** The end that is under way; a command is ended once. */
  #ending: Ending | undefined;

  constructor(session: PtySession) {
    this.#session = session;
  }

  /** @throws SandboxError `conflict` if the session has ended, or another command did not end within the timeout */
  async exec(request: ExecRequest, gone?: AbortSignal): Promise<ExecOutcome> {
    const begun = performance.now();
    const run = await this.#start(request, gone);
    if (request.async) return { run, status: run.status };
    const left = request.timeout === undefined ? undefined : request.timeout * 1000 - (performance.now() - begun);
    const [first, status] = this.#nextDeadline(request, left);
    const reached = await endsWithin(run, first, msOf(request.noChangeTimeout), gone);
    if (reached === 'end' || reached === 'gone') return { run, status: run.status };
    if (reached === 'silent') return { run, status: 'no_change_timeout' };
    if (status === 'hard_timeout') await this.end(run, 'hard_timeout');
    return { run, status };
  }

  /** Ends a command with all that it started; without one the foreground program. Settles when nothing is left of it. */
  end(run: ExecRun | undefined, cause: 'hard_timeout' | 'terminated', first: EndingSignal = 'SIGINT'): Promise<void> {
    if (run?.isTyped === false) {
      run.endingFor(cause);
      run.terminate();
      return Promise.resolve();
    }
    const ending = this.#ending;
    if (ending !== undefined && ending.run === run) {
      if (first === 'SIGKILL') ending.hurry();
      return ending.done;
    }
    run?.endingFor(cause);
    run?.signalled();
    const next = new Ending(this.#session, run, first);
    this.#ending = next;
    void next.done.finally(() => {
      if (this.#ending === next) this.#ending = undefined;
    });
    return next.done;
  }

  #nextDeadline({ hardTimeout }: ExecRequest, waitMs: number | undefined): [number | undefined, ExecStatus] {
    const hardMs = hardTimeout === undefined ? undefined : hardTimeout * 1000;
    if (hardMs !== undefined && (waitMs === undefined || hardMs <= waitMs)) return [hardMs, 'hard_timeout'];
    return [waitMs, 'running'];
  }

  async #start(request: ExecRequest, gone: AbortSignal | undefined): Promise<ExecRun> {
    const before = this.#tail;
    const turn = Promise.withResolvers<void>();
    this.#tail = turn.promise;
    try {
      await this.#awaitTurn(before, request, gone);
      const run = await this.#session.type(
        request.command,
        request.entry,
        request.async ? PATIENCE_MS : msOf(request.timeout),
      );
      request.begun?.(run);
      void run.done.then(() => this.#ending?.done).then(turn.resolve, turn.resolve);
      this.#endLate(run, request);
      return run;
    } catch (error) {
      void before.then(turn.resolve);
      throw error;
    }
  }

  /** Waits for the commands before this one, as long as the call may wait. */
  async #awaitTurn(before: Promise<void>, request: ExecRequest, gone: AbortSignal | undefined): Promise<void> {
    const ms = msOf(request.timeout ?? request.noChangeTimeout);
    const turn = Promise.all([before, this.#session.run?.done, this.#ending?.done.catch(ignore)]);
    if ((await waitFor(turn, { ms, signal: gone })) === 'settled') return;
    throw new SandboxError('conflict', `another command still runs in the session ${this.#session.id}`, {
      hint: 'wait for it, send it input or a signal, or use another session',
      data: { command: this.#session.run?.console.command ?? null },
    });
  }

  /** The hard timeout of a command holds however early its call is answered. */
  #endLate(run: ExecRun, { hardTimeout }: ExecRequest): void {
    if (hardTimeout === undefined) return;
    const timer = new LongTimer(hardTimeout * 1000, () => {
      // A session that is closed ends its commands itself.
      this.end(run, 'hard_timeout').catch(ignore);
    });
    void run.done.then(() => timer[Symbol.dispose]());
  }
}

/** Waits up to `seconds` for the end of the session's command, or of its foreground program. */
export async function awaitForeground(session: PtySession, seconds: number, signal?: AbortSignal): Promise<void> {
  const bounds = { ms: seconds * 1000, signal };
  if (session.run !== undefined) await waitFor(session.run.told, bounds);
  else await pollUntil(() => !session.open || !session.busy, { everyMs: LOOK_MS, ...bounds });
}

function msOf(seconds: number = Number.POSITIVE_INFINITY): number {
  return seconds * 1000;
}

/** Waits for the end of the command, up to `waitMs` and up to `silenceMs` without output. */
async function endsWithin(
  run: ExecRun,
  waitMs: number = Number.POSITIVE_INFINITY,
  silenceMs: number = Number.POSITIVE_INFINITY,
  gone?: AbortSignal,
): Promise<'end' | 'time' | 'silent' | 'gone'> {
  const until = performance.now() + waitMs;
  while (run.status === 'running') {
    if (gone?.aborted) return 'gone';
    const left = until - performance.now();
    const quiet = silenceMs - run.silentMs;
    if (left <= 0) return 'time';
    if (quiet <= 0) return 'silent';
    await waitFor(run.done, { ms: Math.min(left, quiet), signal: gone });
  }
  return 'end';
}

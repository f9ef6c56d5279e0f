import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { LongTimer, pollUntil, waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { foregroundGroup } from '../../core/process/find/foreground.ts';
import type { ExecRun } from './exec/exec-run.ts';
import type { Entry } from './exec/exec-script.ts';
import type { ExecStatus } from './exec/exec-status.ts';
import type { PtySession } from './session/session.ts';
import { PATIENCE_MS } from './session/shell.ts';

/** Milliseconds between SIGTERM and SIGKILL after the hard timeout, and between SIGKILL and the answer. */
export const KILL_GRACE_MS = 2000;
/** Milliseconds between two looks at the foreground group of a terminal. */
const LOOK_MS = 20;

export interface ExecRequest {
  readonly command: string;
  /** The shell enters it first. */
  readonly entry?: Entry | undefined;
  /** Answer as soon as the command is typed. */
  readonly async: boolean;
  /** Seconds that the call waits; the command goes on. Undefined: until its end. */
  readonly timeout?: number | undefined;
  /** Seconds after which the command is ended. */
  readonly hardTimeout?: number | undefined;
  /** Seconds without output after which the call is answered; the command goes on. Undefined: never. */
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
  /** Commands that are being ended, each once. */
  readonly #ending = new WeakMap<ExecRun, Promise<void>>();

  constructor(session: PtySession) {
    this.#session = session;
  }

  /** @throws SandboxError `conflict` where the session has ended, or another command did not end within the timeout */
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

  /** Ends the foreground program, of `exec` or not: SIGTERM, after the grace SIGKILL. */
  end(run: ExecRun | undefined, cause: 'hard_timeout' | 'terminated'): Promise<void> {
    if (run === undefined) return this.#end(undefined);
    run.endingFor(cause);
    const ending = this.#ending.get(run) ?? this.#end(run).finally(() => this.#ending.delete(run));
    this.#ending.set(run, ending);
    return ending;
  }

  async #end(run: ExecRun | undefined): Promise<void> {
    if (run?.isTyped === false) {
      run.terminate();
      return;
    }
    run?.signalled();
    await this.#signal(run, 'SIGTERM');
    if (await this.#endsInTime(run)) return;
    await this.#signal(run, 'SIGKILL');
    await this.#endsInTime(run);
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
      void run.done.then(turn.resolve);
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
    const turn = Promise.all([before, this.#session.run?.done]);
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

  async #endsInTime(run: ExecRun | undefined): Promise<boolean> {
    if (run !== undefined) return (await endsWithin(run, KILL_GRACE_MS)) === 'end';
    return (await pollUntil(() => !this.#session.busy, { everyMs: LOOK_MS, ms: KILL_GRACE_MS })) === 'settled';
  }

  /** A shell that runs a loop of its own ignores SIGTERM, but not SIGINT. */
  async #signal(run: ExecRun | undefined, signal: NodeJS.Signals): Promise<void> {
    if ((run ? run.status !== 'running' : !this.#session.busy) || !this.#session.open) return;
    const { pid } = this.#session;
    const isShell = pid !== null && foregroundGroup(pid) === pid;
    await this.#session.signal(isShell && signal === 'SIGTERM' ? 'SIGINT' : signal);
  }
}

/** Waits up to `seconds` for the end of the session's command, or of its foreground program. */
export async function awaitForeground(session: PtySession, seconds: number, signal?: AbortSignal): Promise<void> {
  const bounds = { ms: seconds * 1000, signal };
  if (session.run !== undefined) await waitFor(session.run.done, bounds);
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

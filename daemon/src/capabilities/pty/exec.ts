import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from '../../core/errors.ts';
import { foregroundGroup } from '../../core/process/find/foreground.ts';
import type { ExecRun, ExecStatus } from './exec/exec-run.ts';
import { settlesBefore } from './patience.ts';
import type { PtySession } from './session/session.ts';

/** Milliseconds between SIGTERM and SIGKILL of what has outlived its hard timeout, and then until it is given up. */
export const KILL_GRACE_MS = 2000;
/** Milliseconds between two looks at who has the terminal. */
const LOOK_MS = 20;

export interface ExecRequest {
  readonly command: string;
  /** Answer as soon as it is typed. */
  readonly async: boolean;
  /** Seconds that the call waits; the command goes on. Undefined: until the end. */
  readonly timeout?: number | undefined;
  /** Seconds after which the command is ended. */
  readonly hardTimeout?: number | undefined;
  /** Seconds without output after which the call does not wait any longer. */
  readonly noChangeTimeout: number;
}

export interface ExecOutcome {
  readonly run: ExecRun;
  readonly status: ExecStatus;
}

/** Runs the commands of one session one after the other. */
export class ExecQueue {
  readonly #session: PtySession;
  #tail: Promise<void> = Promise.resolve();

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
    const reached = await endsWithin(run, first, request.noChangeTimeout * 1000, gone);
    if (reached === 'end' || reached === 'gone') return { run, status: run.status };
    if (reached === 'silent') return { run, status: 'no_change_timeout' };
    if (status === 'hard_timeout') await this.end(run);
    return { run, status };
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
      const run = await this.#session.type(request.command);
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
    const seconds = request.timeout ?? request.noChangeTimeout;
    const patience = AbortSignal.any([AbortSignal.timeout(seconds * 1000), ...(gone ? [gone] : [])]);
    const turn = Promise.all([before, this.#session.run?.done]);
    if (await settlesBefore(turn, patience)) return;
    throw new SandboxError('conflict', `another command still runs in the session ${this.#session.id}`, {
      hint: 'wait for it, send it input or a signal, or use another session',
      data: { command: this.#session.run?.console.command ?? null },
    });
  }

  /** The hard timeout of a command holds whether the call waits for it or not. */
  #endLate(run: ExecRun, { hardTimeout, async, timeout }: ExecRequest): void {
    if (hardTimeout === undefined || (!async && (timeout === undefined || hardTimeout <= timeout))) return;
    const timer = setTimeout(() => void this.end(run), hardTimeout * 1000);
    void run.done.then(() => clearTimeout(timer));
  }

  /** Ends what is in the foreground: SIGTERM, after the grace SIGKILL. Without a run: what somebody else has started there. */
  async end(run: ExecRun | undefined): Promise<void> {
    run?.signalled();
    await this.#signal(run, 'SIGTERM');
    if (await this.#givesWay(run)) return;
    await this.#signal(run, 'SIGKILL');
    await this.#givesWay(run);
  }

  async #givesWay(run: ExecRun | undefined): Promise<boolean> {
    if (run !== undefined) return (await endsWithin(run, KILL_GRACE_MS)) === 'end';
    const deadline = performance.now() + KILL_GRACE_MS;
    while (this.#session.busy && performance.now() < deadline) await delay(LOOK_MS);
    return !this.#session.busy;
  }

  /** A shell that is busy with a loop of its own ignores SIGTERM, but not an interrupt. */
  async #signal(run: ExecRun | undefined, signal: NodeJS.Signals): Promise<void> {
    if ((run ? run.status !== 'running' : !this.#session.busy) || !this.#session.open) return;
    const { pid } = this.#session;
    const isShell = pid !== null && foregroundGroup(pid) === pid;
    await this.#session.signal(isShell && signal === 'SIGTERM' ? 'SIGINT' : signal);
  }
}

/** Waits for the end, so many milliseconds at most, or until so many without output. */
async function endsWithin(
  run: ExecRun,
  waitMs: number | undefined,
  silenceMs = Number.POSITIVE_INFINITY,
  gone?: AbortSignal,
): Promise<'end' | 'time' | 'silent' | 'gone'> {
  const until = waitMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + waitMs;
  while (run.status === 'running') {
    if (gone?.aborted) return 'gone';
    const left = until - performance.now();
    const quiet = silenceMs - run.silentMs;
    if (left <= 0) return 'time';
    if (quiet <= 0) return 'silent';
    // setTimeout takes 31 bits of milliseconds.
    const patience = AbortSignal.timeout(Math.min(Math.ceil(Math.min(left, quiet)), 2 ** 31 - 1));
    await settlesBefore(run.done, gone ? AbortSignal.any([patience, gone]) : patience);
  }
  return 'end';
}

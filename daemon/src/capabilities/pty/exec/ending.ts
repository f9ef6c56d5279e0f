import { constants } from 'node:os';
import { pause, waitFor } from '@sandbox/api/wait.ts';
import type { FoundProcess } from '../../../core/process/find/process-finder.ts';
import {
  ignoresSignal,
  type ShellProcess,
  type Since,
  StartedProcesses,
  signalFound,
  sinceNow,
} from '../../../core/process/find/started-processes.ts';
import type { ExecRun } from './exec-run.ts';

/** Milliseconds between SIGTERM and SIGKILL, and between SIGKILL and the end of a shell that continues. */
export const KILL_GRACE_MS = 2000;
/** Milliseconds that an interrupted program has until SIGTERM. */
const INTERRUPT_MS = 300;
/** Milliseconds between two looks at what is left. */
const LOOK_MS = 20;
/** Milliseconds until the next look if one found nothing but proves nothing, and until it counts nevertheless. */
const UNSETTLED_LOOK_MS = 2;
const SETTLED_MS = 1000;
/** Milliseconds within which the end of a killed shell is noticed. */
const SHELL_END_MS = 5000;

/** The signals that end a command. Any other one goes to the foreground group alone. */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGKILL'] as const;
export type EndingSignal = (typeof ENDING_SIGNALS)[number];

/** What the end of a command needs of its session. */
export interface EndedSession {
  readonly open: boolean;
  /** A command runs, or another program than the shell is in the foreground. */
  readonly busy: boolean;
  /** Undefined if no shell runs. */
  readonly shellProcess: ShellProcess | undefined;
  /** Signals the foreground group. */
  signal(signal: NodeJS.Signals): Promise<boolean>;
  /** A shell that follows this one starts in the directory in which this one is. */
  keepDirectory(): void;
  /** Gives the terminal of a shell that goes on usable modes, and drops what was typed at programs that were killed. */
  restoreTerminal(shell: number): Promise<void>;
}

/**
 * Ends a command with all that it started: the first signal to its programs and an interrupt to the shell, which gives
 * up the rest of the line; SIGTERM; SIGKILL. A shell that cannot be interrupted, or continues nevertheless, is killed.
 * Without a command the foreground program is ended.
 */
export class Ending {
  /** Settles when nothing of the command is left, or SIGKILL did not help. */
  readonly done: Promise<void>;
  readonly #session: EndedSession;
  /** The command; undefined: the foreground program. */
  readonly run: ExecRun | undefined;
  readonly #hurry = new AbortController();
  #until: Since | undefined;

  constructor(session: EndedSession, run: ExecRun | undefined, first: EndingSignal) {
    this.#session = session;
    this.run = run;
    if (first === 'SIGKILL') this.hurry();
    this.done = this.#end(first);
  }

  /** SIGKILL follows at once. */
  hurry(): void {
    this.#hurry.abort();
  }

  async #end(first: EndingSignal): Promise<void> {
    const shell = this.#session.shellProcess;
    const since = this.run === undefined ? shell && sinceNow(shell.pid) : this.run.since;
    if (shell === undefined || since === undefined) return this.#endForeground();
    void this.run?.done.then(() => {
      this.#until = sinceNow(shell.pid);
    });
    this.#session.keepDirectory();
    const started = new StartedProcesses(shell, since);
    // A shell that ignores interrupts would continue with the line.
    const isDeaf = this.run?.isMarked === true && ignoresSignal(shell.pid, constants.signals.SIGINT);
    if (isDeaf) send(shell.pid, 'SIGSTOP');
    const isOver = await this.#signalInTurn(shell, started, { first, isDeaf });
    if (this.run !== undefined && (isDeaf || !isOver)) await this.#replace(shell, started, this.run);
    await this.#session.restoreTerminal(shell.pid);
  }

  /** True once nothing is left, and the shell is free or stopped. */
  async #signalInTurn(
    shell: ShellProcess,
    started: StartedProcesses,
    { first, isDeaf }: { first: EndingSignal; isDeaf: boolean },
  ): Promise<boolean> {
    const signals = [...new Set<EndingSignal>([first, first === 'SIGINT' ? 'SIGTERM' : first, 'SIGKILL'])];
    for (const signal of signals) {
      if (this.#hurry.signal.aborted && signal !== 'SIGKILL') continue;
      if (!isDeaf && !this.#isFree()) for (const one of ['SIGINT', 'SIGCONT'] as const) send(shell.pid, one);
      const isOver = (left: number): boolean => left === 0 && (isDeaf || this.#isFree());
      if (await this.#signal(started, signal, isOver)) return true;
    }
    return false;
  }

  /** Sends a signal until its time is over; SIGKILL to each process that is found, others to those that are there. */
  async #signal(started: StartedProcesses, signal: EndingSignal, isOver: (left: number) => boolean): Promise<boolean> {
    const deadline = performance.now() + graceOf(signal);
    for (let round = 0; ; round += 1) {
      const left = await this.#left(started, signal);
      if (left === undefined) return false;
      if (isOver(left.length)) return true;
      // What a program starts to clean up is spared.
      if (signal === 'SIGKILL' || round === 0) signalEach(left, signal);
      if (performance.now() >= deadline || this.#isCut(signal)) return false;
      await this.#untilNextLook(signal, round);
    }
  }

  async #untilNextLook(signal: EndingSignal, round: number): Promise<void> {
    if (signal !== 'SIGKILL') await pause(LOOK_MS, this.#hurry.signal);
    else await pause(round === 0 ? 1 : LOOK_MS);
  }

  /** The signal is not waited for any more. */
  #isCut(signal: EndingSignal): boolean {
    return !this.#session.open || (signal !== 'SIGKILL' && this.#hurry.signal.aborted);
  }

  /** What is left of the command; undefined: cut before a look has proven that nothing is. */
  async #left(started: StartedProcesses, signal: EndingSignal): Promise<readonly FoundProcess[] | undefined> {
    const deadline = performance.now() + SETTLED_MS;
    for (;;) {
      const { processes, isSettled } = await started.find(this.#until);
      if (processes.length > 0 || isSettled || performance.now() >= deadline) return processes;
      if (this.#isCut(signal)) return undefined;
      await pause(UNSETTLED_LOOK_MS);
    }
  }

  async #replace(shell: ShellProcess, started: StartedProcesses, run: ExecRun): Promise<void> {
    if (!this.#session.open) return;
    send(shell.pid, 'SIGKILL');
    await this.#signal(started, 'SIGKILL', (left) => left === 0);
    await waitFor(run.done, { ms: SHELL_END_MS });
  }

  /** Where the system does not show its processes. */
  async #endForeground(): Promise<void> {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
      if (this.#isFree() || !this.#session.open || this.#session.shellProcess === undefined) return;
      await this.#session.signal(signal);
      const ms = graceOf(signal);
      await waitFor(this.run?.done ?? pause(ms), { ms });
    }
  }

  #isFree(): boolean {
    const run = this.run;
    if (run === undefined) return !this.#session.busy;
    return run.status !== 'running' || (!run.isMarked && run.endReleased());
  }
}

/** Milliseconds from a signal to the next one. */
function graceOf(signal: EndingSignal): number {
  return signal === 'SIGINT' ? INTERRUPT_MS : KILL_GRACE_MS;
}

/** A stopped process continues, since it would not receive the signal. */
function signalEach(processes: readonly FoundProcess[], signal: EndingSignal): void {
  for (const one of processes) {
    signalFound(one, signal);
    if (signal !== 'SIGKILL') signalFound(one, 'SIGCONT');
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

import { randomUUID } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { endProcesses } from '../../../core/process/end-processes.ts';
import { foregroundGroup } from '../../../core/process/find/foreground.ts';
import type { ShellProcess } from '../../../core/process/find/started-processes.ts';
import {
  type HostedProcess,
  type ProcessEnd,
  type ProcessTarget,
  StartFailure,
  type TerminalSize,
} from '../../../core/process/process-host.ts';
import type { ShellKind } from '../exec/exec-script.ts';
import type { TerminalHost, TmuxHost } from '../tmux/tmux.ts';
import type { History } from './history.ts';
import type { SessionRecord } from './session-record.ts';
import type { ShellLauncher } from './shell-launcher.ts';

/** Milliseconds after which a call does not wait for the start of a shell any more. */
export const PATIENCE_MS = 5000;
/** Milliseconds by which a timer of Node may fire before its time on the monotonic clock. */
const TIMER_EARLY_MS = 1;

export interface ShellTools {
  readonly host: TerminalHost;
  /** Set where `host` is tmux: finds the tmux sessions of an earlier daemon. */
  readonly tmux: TmuxHost | undefined;
  readonly launcher: ShellLauncher;
}

/** How a session follows the life of its shell. */
export interface ShellEvents {
  /** A shell was started; its output begins at offset `base` of the history. */
  readonly started: (base: number) => void;
  /** A shell ended, with its last output before `offset`. The next one starts once the answer settles; undefined: none. */
  readonly ended: (end: ProcessEnd, offset: number) => Promise<void> | undefined;
  /** The last shell ended. */
  readonly over: (end: ProcessEnd) => void;
}

/** The shell of a session: one process on a terminal, followed by another if a command ended it. */
export class Shell {
  readonly #tools: ShellTools;
  readonly #record: SessionRecord;
  readonly #history: History;
  readonly #events: ShellEvents;
  #process: HostedProcess | undefined;
  #kind: ShellKind | undefined;
  /** Settles when the shell that is being started runs or has failed to start; never rejects. */
  #starting: Promise<void> | undefined;
  /** `performance.now()` at which it is late. */
  #lateAt = 0;
  #closing = false;
  /** Directory in which the next shell starts; undefined: that of the session. */
  #nextDirectory: string | undefined;

  constructor(tools: ShellTools, record: SessionRecord, history: History, events: ShellEvents) {
    this.#tools = tools;
    this.#record = record;
    this.#history = history;
    this.#events = events;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** Undefined if none runs. */
  get leader(): ShellProcess | undefined {
    const { pid } = this;
    const newest = this.#record.shells.at(-1);
    if (pid === null || newest === undefined) return undefined;
    const identity = this.#tools.launcher.accountOf(this.#record.user);
    return { pid, mark: newest.name ?? newest.id, identity };
  }

  /** A shell that follows this one starts there. */
  followIn(directory: string): void {
    this.#nextDirectory = directory;
  }

  /** Undefined: `exec` types its commands as lines. */
  get kind(): ShellKind | undefined {
    return this.#kind;
  }

  /** A shell has been being started for `PATIENCE_MS`. */
  get isLate(): boolean {
    return this.#starting !== undefined && performance.now() >= this.#lateAt - TIMER_EARLY_MS;
  }

  /** Another program than the shell is in the foreground of the terminal; false if the system does not tell. */
  get isBusy(): boolean {
    const group = this.#process && foregroundGroup(this.#process.pid);
    return group !== undefined && group !== this.#process?.pid;
  }

  /**
   * Starts a shell once `after` has settled.
   * @throws SandboxError `unavailable` if the shell cannot be started, `invalid` if the named program cannot
   */
  start(after: Promise<unknown>): Promise<void> {
    const started = after.then(() => this.#launch());
    const settle = (): void => {
      this.#starting = undefined;
    };
    this.#starting = started.then(settle, settle);
    this.#lateAt = performance.now() + PATIENCE_MS;
    return started;
  }

  /** Takes up a process that an earlier daemon started; its output begins at offset `base` of the history. */
  resume(process: HostedProcess, base: number): void {
    this.#hold(process, this.#tools.launcher.prepare(randomUUID(), this.#record).kind, base);
  }

  /**
   * Finds the tmux session of a shell, read on by `reader` or by a new process.
   * @returns the process and the offset at which its output begins; undefined if tmux has no such session
   */
  async findInTmux(
    name: string,
    base: number,
    reader: HostedProcess | undefined,
  ): Promise<{ readonly process: HostedProcess; readonly base: number } | undefined> {
    const { spec } = this.#tools.launcher.prepare(randomUUID(), this.#record);
    const process = await this.#tools.tmux?.resume(name, spec, reader);
    if (process === undefined) return undefined;
    if (reader !== undefined) return { process, base };
    const from = this.#history.end;
    this.#record.shells.push({ id: process.id, pid: process.pid, base: from, name });
    return { process, base: from };
  }

  /**
   * The process of the shell, once one that is being started runs.
   * @throws SandboxError `conflict` after its end, `unavailable` if it does not start in time
   */
  async running(): Promise<HostedProcess> {
    if (!(await this.startsInTime())) {
      throw new SandboxError('unavailable', `the shell of the session is still being started: ${this.#record.id}`, {
        hint: 'nothing was typed; try again when GET /ready answers 200',
      });
    }
    if (this.#process !== undefined && this.#record.state === 'open' && !this.#closing) return this.#process;
    throw this.#hasEnded();
  }

  resize(size: TerminalSize): void {
    this.#process?.terminal?.resize(size);
  }

  /** False if the process host is silent: a shell is still being started `PATIENCE_MS` after that began. */
  async startsInTime(ms: number = PATIENCE_MS): Promise<boolean> {
    const left = Math.max(0, Math.min(ms, this.#lateAt - performance.now()));
    return this.#starting === undefined || (await waitFor(this.#starting, { ms: left })) === 'settled';
  }

  /** The process of a shell that is started late, once it runs. @throws SandboxError `conflict` if it does not start */
  async runsLate(): Promise<HostedProcess> {
    await this.#starting;
    return this.running();
  }

  /** Ends the processes of the shell, also of one that is being started; no other shell follows. */
  async close(graceMs: number): Promise<HostedProcess | undefined> {
    this.#closing = true;
    await this.#starting;
    const process = this.#process;
    if (process === undefined) return undefined;
    const { host, tmux } = this.#tools;
    // tmux itself lets a shell continue that is stopped.
    const terms = { graceMs, firstSignal: 'SIGHUP', leadersLast: tmux === undefined } as const;
    await endProcesses(host, () => [this.#target(process)], terms);
    await process.ended;
    return process;
  }

  async #launch(): Promise<void> {
    if (this.#closing) throw this.#hasEnded();
    const base = this.#history.end;
    try {
      const { process, kind } = await this.#startNext();
      this.#record.shells.push({ id: process.id, pid: process.pid, base });
      this.#hold(process, kind, base);
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      const isNamed = this.#record.command !== null;
      throw new SandboxError(isNamed ? 'invalid' : 'unavailable', error.message, { cause: error });
    }
    this.#events.started(base);
  }

  async #startNext(): Promise<{ readonly process: HostedProcess; readonly kind: ShellKind | undefined }> {
    const directory = this.#nextDirectory;
    this.#nextDirectory = undefined;
    const { host, launcher } = this.#tools;
    if (directory !== undefined) {
      const { spec, kind } = launcher.prepare(randomUUID(), this.#record, directory);
      try {
        return { process: await host.start(spec), kind };
      } catch (error) {
        // The directory may be gone, or the account may not enter it.
        if (!(error instanceof StartFailure)) throw error;
      }
    }
    const { spec, kind } = launcher.prepare(randomUUID(), this.#record);
    return { process: await host.start(spec), kind };
  }

  #hold(process: HostedProcess, kind: ShellKind | undefined, base: number): void {
    this.#process = process;
    this.#kind = kind;
    this.#history.append(process.output.stdout, base);
    void process.ended.then((end) => this.#onEnd(process, base, end));
  }

  async #onEnd(process: HostedProcess, base: number, end: ProcessEnd): Promise<void> {
    const log = process.output.stdout;
    while (!log.sealed) await log.advanced(log.end);
    this.#process = undefined;
    const next = this.#events.ended(end, base + log.end);
    const goesOn = next !== undefined && (await isFulfilled(this.start(next)));
    if (this.#closing) return;
    process.acknowledgeExit();
    if (!goesOn) this.#events.over(end);
  }

  #target({ id, pid }: HostedProcess): ProcessTarget {
    const identity = this.#tools.launcher.accountOf(this.#record.user);
    return { id, pid, running: this.#process !== undefined, ...(identity && { identity }) };
  }

  #hasEnded(): SandboxError {
    return new SandboxError('conflict', `the session has ended: ${this.#record.id}`, { hint: 'create another one' });
  }
}

function isFulfilled(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}

import type { AgeClock } from '../../../core/clock/age-clock.ts';
import type { ShellProcess } from '../../../core/process/find/started-processes.ts';
import { killedOf } from '../../../core/process/memory-kill.ts';
import type { HostedProcess, ProcessEnd, TerminalSize } from '../../../core/process/process-host.ts';
import type { Recorder } from '../../../core/recorder/recorder.ts';
import type { ExecRun } from '../exec/exec-run.ts';
import type { Entry } from '../exec/exec-script.ts';
import type { ExecStatus } from '../exec/exec-status.ts';
import { Screen } from '../screen/screen.ts';
import type { ScreenFailure, ScreenThread } from '../screen/screen-thread.ts';
import { type ExecTools, ExecTracker, type ExecutedCommand } from './exec-tracker.ts';
import { History } from './history.ts';
import { restoreTerminal } from './restore-terminal.ts';
import { SessionActivity, type SessionActivityTerms } from './session-activity.ts';
import { SessionEvents } from './session-events.ts';
import type { SessionFiles, SessionRecord } from './session-record.ts';
import { SessionSize } from './session-size.ts';
import { execStatusOf, type SessionStatus, statusOf, updateWorkingDir } from './session-status.ts';
import { SessionUsage } from './session-usage.ts';
import { Shell, type ShellTools } from './shell.ts';

/** Milliseconds between SIGHUP and SIGKILL. */
export const CLOSE_GRACE_MS = 2000;

/** What every session works with. */
export interface SessionTools extends ShellTools, ExecTools {
  readonly files: SessionFiles;
  readonly screens: ScreenThread;
  readonly historyBytes: number;
  readonly activity: SessionActivityTerms;
  readonly clock: AgeClock;
  readonly recorder: Recorder;
}

/** A shell on a terminal with its output. It continues with another shell if a command ended the first. */
export class PtySession {
  readonly record: SessionRecord;
  readonly history: History;
  readonly screen: Screen;
  readonly usage: SessionUsage;
  readonly #files: SessionFiles;
  readonly #shell: Shell;
  readonly #exec: ExecTracker;
  readonly #activity: SessionActivity;
  readonly #events: SessionEvents;
  readonly #size: SessionSize;
  #started: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(tools: SessionTools, record: SessionRecord) {
    const history = new History(tools.historyBytes);
    const failed = (error: unknown): void => tools.failed(error, this);
    const gaveUp = (failure: ScreenFailure): void => {
      record.screenFailure = failure;
      this.#save();
    };
    const state = { failure: record.screenFailure, gaveUp };
    const screen = new Screen(tools.screens, history, { size: record, failed, state });
    const shell = new Shell(tools, record, history, {
      started: (base) => this.#shellStarted(base),
      ended: (end, offset) => this.#shellEnded(end, offset),
      over: (end) => this.#over(end),
    });
    this.record = record;
    this.history = history;
    this.screen = screen;
    this.#files = tools.files;
    const events = new SessionEvents(tools.recorder, record, history);
    this.#events = events;
    this.#size = new SessionSize({ record, shell, screen, events, save: () => this.#save() });
    this.#shell = shell;
    const changed = (): void => this.#used();
    this.#exec = new ExecTracker(tools, { record, history, screen, shell, events, failed, changed });
    this.#activity = new SessionActivity(tools.activity, record.id, () => this.open && this.busy);
    this.usage = new SessionUsage(record, tools.clock, this.#activity);
  }

  get id(): string {
    return this.record.id;
  }

  get open(): boolean {
    return this.record.state === 'open' && this.#closing === undefined;
  }

  get pid(): number | null {
    return this.#shell.pid;
  }

  /** Undefined if none runs. */
  get shellProcess(): ShellProcess | undefined {
    return this.#shell.leader;
  }

  /** A shell that follows this one starts in the directory in which this one is. */
  keepDirectory(): void {
    this.#shell.followIn(this.workingDir);
  }

  /** Gives the terminal of a shell usable modes; a shell that edits its line does so itself. */
  async restoreTerminal(shell: number): Promise<void> {
    if (this.#shell.kind === 'sh') await restoreTerminal(this, shell);
  }

  /** Viewers. */
  get attached(): number {
    return this.usage.viewers;
  }

  /** The command that `exec` runs now. */
  get run(): ExecRun | undefined {
    return this.#exec.run;
  }

  /** A command of `exec` runs, or another program than the shell is in the foreground. */
  get busy(): boolean {
    return this.run !== undefined || this.#shell.isBusy;
  }

  get status(): SessionStatus {
    return statusOf(this.record, () => this.busy);
  }

  get execStatus(): ExecStatus {
    return execStatusOf(this);
  }

  /** As `execStatus`; of an ended command its own status. */
  get lastStatus(): ExecStatus {
    const status = this.execStatus;
    return status === 'running' ? status : (this.record.console.at(-1)?.status ?? status);
  }

  /** The directory of the shell now; the last one that was seen if the system does not tell. */
  get workingDir(): string {
    return updateWorkingDir(this.record, this.pid);
  }

  /** The commands that the session remembers, oldest first. */
  executed(): Promise<ExecutedCommand[]> {
    return this.#exec.executed();
  }

  /**
   * Starts the first shell once `after` has settled.
   * @throws SandboxError `unavailable` or `invalid` if it cannot be started, `conflict` if the session was closed,
   *   `disk_full` if its record cannot be written
   */
  start(after: Promise<unknown>): Promise<void> {
    this.#files.create(this.record);
    this.#started = this.#shell.start(after).then(() => this.#events.opened(this.pid));
    void this.#activity.follow(this.history);
    return this.#started;
  }

  /** Settles with the start of the first shell. @throws as `start` */
  get started(): Promise<void> {
    return this.#started;
  }

  /** Takes up a shell that an earlier daemon started. */
  resume(process: HostedProcess, base: number): void {
    this.#exec.resume();
    this.#shell.resume(process, base);
    if (this.busy) this.#activity.touch();
    this.#events.found();
    void this.#activity.follow(this.history);
  }

  /** Takes up the tmux session of a shell, read on by `reader` or by a new one; false if tmux does not have it. */
  async resumeTmux(name: string, base: number, reader: HostedProcess | undefined): Promise<boolean> {
    const found = await this.#shell.findInTmux(name, base, reader);
    if (found === undefined) return false;
    this.resume(found.process, found.base);
    if (reader === undefined) this.#exec.noticeMissedEnd(found.base);
    this.#save();
    return true;
  }

  /** The session had ended before this daemon started, or its shell is lost. */
  settle(state: 'ended' | 'lost'): void {
    this.record.state = state;
    if (state === 'lost') this.#events.ended();
    this.record.current = null;
    this.history.close();
    this.#save();
  }

  /** Types bytes. Resolves when the process host holds them. @throws SandboxError `conflict` after the end */
  async write(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    const process = await this.#shell.running();
    this.usage.touch();
    await process.writeStdin(bytes, signal);
  }

  /** As `write`, for messages that are not acknowledged: resolves when the bytes are on their way. */
  async typeKeys(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    const process = await this.#shell.running();
    this.usage.touch();
    await process.typeStdin(bytes, signal);
  }

  /** Applies the size now. */
  resize(size: TerminalSize): void {
    this.#size.apply(size);
  }

  /** Applies the size to the program now, to disk and screen soon. */
  resizeSoon(size: TerminalSize): void {
    this.#size.applySoon(size);
  }

  /** Signals the foreground group; false if none exists. @throws SandboxError `conflict` after the end */
  async signal(signal: NodeJS.Signals): Promise<boolean> {
    const process = await this.#shell.running();
    this.run?.signalled();
    return (await process.terminal?.signalForeground(signal)) ?? false;
  }

  /**
   * Types a command; resolves once the shell has begun it. Where the process host is silent, and after `ms` milliseconds
   * in any case, it resolves before that: the command is typed when its shell starts. `ExecQueue` calls it for one
   * command at a time.
   */
  async type(command: string, entry: Entry | undefined, ms: number): Promise<ExecRun> {
    this.usage.touch();
    if (!(await this.#shell.startsInTime(ms))) return this.#exec.typeLate(this.#shell.runsLate(), command, entry);
    const process = await this.#shell.running();
    return this.#exec.type(process, command, entry);
  }

  /** Sets the default of later commands, in seconds; null removes it. */
  setNoChangeTimeout(seconds: number | null): void {
    this.record.noChangeTimeout = seconds;
    this.#used();
  }

  /** A call has used the id: the session gives way to no other from now on. */
  markNamed(): void {
    if (this.record.named) return;
    this.record.named = true;
    this.#save();
  }

  /** Counts a viewer until the answer is disposed. */
  attach(): Disposable {
    return this.usage.attach();
  }

  /** The process host is silent: a shell is still being started. */
  get startsLate(): boolean {
    return this.#shell.isLate;
  }

  /** False if the process host is silent: its shell is still being started. */
  startsInTime(): Promise<boolean> {
    return this.#shell.startsInTime();
  }

  /** Sends SIGHUP to the processes, SIGKILL after the grace to those that are left, and removes the history. */
  close(graceMs: number = CLOSE_GRACE_MS): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    this.#events.closed();
    this.#files.remove(this.id);
    this.#activity[Symbol.dispose]();
    this.#size.drop();
    this.#exec.terminate();
    this.screen[Symbol.dispose]();
    const process = await this.#shell.close(graceMs);
    if (this.record.state === 'open') this.record.state = 'ended';
    this.history.close();
    this.#events.ended();
    await this.history.remove();
    process?.acknowledgeExit();
  }

  #shellStarted(base: number): void {
    this.#exec.shellStarted(base);
    this.screen.follow();
    this.usage.note();
    if (this.#closing === undefined) this.#files.saveShell(this.record);
  }

  /** A session whose command ended the shell continues with another one. */
  #shellEnded(end: ProcessEnd, offset: number): Promise<void> | undefined {
    const commandEnd = this.#exec.shellEnded(end, offset);
    return end.lost ? undefined : commandEnd;
  }

  #over(end: ProcessEnd): void {
    this.record.state = end.lost ? 'lost' : 'ended';
    this.record.exitCode = end.signal === null ? end.exitCode : -1;
    this.record.signal = end.signal;
    const killed = killedOf(end.usage);
    if (killed !== undefined) this.record.memoryKilled = killed;
    this.history.close();
    this.#events.ended();
    this.#used();
  }

  #used(): void {
    this.usage.touch();
    this.#save();
  }

  #save(): void {
    this.usage.note();
    if (this.#closing === undefined) this.#files.save(this.record);
  }
}

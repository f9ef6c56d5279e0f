import { randomBytes, randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { SandboxError } from '../../../core/errors.ts';
import { foregroundGroup } from '../../../core/process/find/foreground.ts';
import {
  type HostedProcess,
  type ProcessEnd,
  type ProcessTarget,
  StartFailure,
  type TerminalSize,
} from '../../../core/process/process-host.ts';
import type { ExecFiles } from '../exec/exec-files.ts';
import { ExecRun, outputBetween } from '../exec/exec-run.ts';
import { echoOf, execScript, type ShellKind } from '../exec/exec-script.ts';
import { noticeMissedEnd } from '../exec/missed-end.ts';
import { Prompt } from '../exec/prompt.ts';
import { settlesBefore } from '../patience.ts';
import { Screen } from '../screen/screen.ts';
import type { ScreenThread } from '../screen/screen-thread.ts';
import type { TerminalHost, TmuxHost } from '../tmux/tmux.ts';
import { hangUp } from './hang-up.ts';
import { History } from './history.ts';
import { CONSOLE_KEPT, type ConsoleRecord, type SessionFiles, type SessionRecord } from './session-record.ts';
import type { ShellLauncher } from './shell-launcher.ts';

/** Milliseconds between SIGHUP and SIGKILL. */
export const CLOSE_GRACE_MS = 2000;
/** Milliseconds that a shell may take to begin with what was typed before the caller is answered anyway. */
const BEGIN_MS = 1000;
/** Characters of a command that its record keeps. */
const COMMAND_KEPT = 2000;

/** What every session works with. */
export interface SessionTools {
  readonly host: TerminalHost;
  /** Where `host` is tmux: how its sessions are taken up. */
  readonly tmux: TmuxHost | undefined;
  readonly launcher: ShellLauncher;
  readonly files: SessionFiles;
  readonly execFiles: ExecFiles;
  readonly screens: ScreenThread;
  readonly historyBytes: number;
}

/** A shell on a terminal, and whatever came out of it. It outlives its shell where a command ended that. */
export class PtySession {
  readonly record: SessionRecord;
  readonly history: History;
  readonly screen: Screen;
  readonly #tools: SessionTools;
  readonly #prompt: Prompt;
  /** Settles when no other shell will follow. */
  readonly ended: Promise<void>;
  readonly #settleEnd: () => void;
  #process: HostedProcess | undefined;
  #kind: ShellKind | undefined;
  #run: ExecRun | undefined;
  #viewers = 0;
  #usedAt: number;
  #closing: Promise<void> | undefined;
  /** Another shell is on its way; false where it does not come. */
  #restarting: Promise<boolean> | undefined;

  constructor(tools: SessionTools, record: SessionRecord) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tools = tools;
    this.record = record;
    this.#usedAt = Date.parse(record.lastUsedAt);
    this.history = new History(tools.historyBytes);
    this.screen = new Screen(tools.screens, this.history, record);
    this.#prompt = new Prompt(this.history, this.screen);
    this.ended = promise;
    this.#settleEnd = resolve;
  }

  get id(): string {
    return this.record.id;
  }

  get open(): boolean {
    return this.record.state === 'open' && this.#closing === undefined;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  get attached(): number {
    return this.#viewers;
  }

  /** Milliseconds since 1970. */
  get usedAt(): number {
    return this.#usedAt;
  }

  /** The command that `exec` runs now. */
  get run(): ExecRun | undefined {
    return this.#run?.status === 'running' ? this.#run : undefined;
  }

  /** Something other than the shell itself has the terminal. */
  get busy(): boolean {
    if (this.run !== undefined) return true;
    const group = this.#process && foregroundGroup(this.#process.pid);
    return group !== undefined && group !== this.#process?.pid;
  }

  get status(): 'active' | 'idle' | 'exited' | 'lost' {
    if (this.record.state !== 'open') return this.record.state === 'lost' ? 'lost' : 'exited';
    return this.busy ? 'active' : 'idle';
  }

  /** Where the shell is now; where it was last seen, if the system does not tell. */
  get workingDir(): string {
    try {
      if (this.#process) this.record.workingDir = readlinkSync(`/proc/${this.#process.pid}/cwd`);
    } catch {
      // Not Linux, gone, or another account's.
    }
    return this.record.workingDir;
  }

  /** What was executed in it and is remembered, oldest first. */
  executed(): Promise<{ ps1: string; command: string; output: string }[]> {
    return Promise.all(
      this.record.console.map(async (entry) => ({
        ps1: entry.ps1,
        command: entry.command,
        output: await outputBetween(this.history, entry),
      })),
    );
  }

  /** Starts its first shell, or the one after. @throws SandboxError `unavailable` where it cannot be started */
  async start(): Promise<void> {
    const { spec, kind } = this.#tools.launcher.prepare(randomUUID(), this.record);
    try {
      const base = this.history.end;
      const process = await this.#tools.host.start(spec);
      this.record.shells.push({ id: process.id, pid: process.pid, base });
      this.#prompt.after = base;
      this.#hold(process, kind, base);
      this.screen.follow();
      this.save();
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      throw new SandboxError(this.record.command === null ? 'unavailable' : 'invalid', error.message, { cause: error });
    }
  }

  /** Takes up a shell that an earlier daemon started. */
  resume(process: HostedProcess, base: number): void {
    const { kind } = this.#tools.launcher.prepare(randomUUID(), this.record);
    const { current, console } = this.record;
    const last = console.at(-1);
    if (current !== null && last !== undefined) {
      this.#track(new ExecRun(this.history, last).follow(current.nonce, current.typedAt, () => this.#released()));
    }
    this.#hold(process, kind, base);
  }

  /** It was over when this daemon came, or its shell is lost. */
  settle(state: 'ended' | 'lost'): void {
    this.record.state = state;
    this.record.current = null;
    this.history.close();
    this.#settleEnd();
    this.save();
  }

  /** Takes up the tmux session of a shell, read on by `reader` or by a new one; false where tmux has it no more. */
  async resumeTmux(name: string, base: number, reader: HostedProcess | undefined): Promise<boolean> {
    const { spec } = this.#tools.launcher.prepare(randomUUID(), this.record);
    const process = await this.#tools.tmux?.resume(name, spec, reader);
    if (process === undefined) return false;
    const from = reader === undefined ? this.history.end : base;
    if (reader === undefined) this.record.shells.push({ id: process.id, pid: process.pid, base: from, name });
    this.resume(process, from);
    const watched = { history: this.history, prompt: this.#prompt, released: () => this.#released() };
    if (reader === undefined && this.#run !== undefined) void noticeMissedEnd(this.#run, watched, from);
    this.save();
    return true;
  }

  /** Bytes as if typed. Resolves when the terminal can take more. @throws SandboxError `conflict` after its end */
  async write(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    if (this.#restarting !== undefined) await this.#restarting;
    const process = this.#requireOpen();
    this.touch();
    await process.writeStdin(bytes, signal);
  }

  resize(size: TerminalSize): void {
    if (size.cols === this.record.cols && size.rows === this.record.rows) return;
    Object.assign(this.record, size);
    this.#process?.terminal?.resize(size);
    this.screen.resize(size);
    this.save();
  }

  /** To the foreground group; answers whether there was one. @throws SandboxError `conflict` after its end */
  async signal(signal: NodeJS.Signals): Promise<boolean> {
    if (this.#restarting !== undefined) await this.#restarting;
    const process = this.#requireOpen();
    this.run?.signalled();
    return (await process.terminal?.signalForeground(signal)) ?? false;
  }

  /** Types a command and answers once the shell has begun it. One at a time: the service sees to that. */
  async type(command: string): Promise<ExecRun> {
    await this.#restarting;
    const process = this.#requireOpen();
    this.touch();
    await this.#prompt.settled(this.record.shells.at(-1)?.base);
    const released = this.#released();
    const plan = released ? this.#kind : undefined;
    const { ps1, column } = await this.#prompt.look();
    const typedAt = this.history.end;
    const record: ConsoleRecord = {
      ps1,
      command: command.slice(0, COMMAND_KEPT),
      start: typedAt,
      end: null,
      exitCode: null,
    };
    this.record.console.push(record);
    this.record.console.splice(0, this.record.console.length - CONSOLE_KEPT);
    const run = new ExecRun(this.history, record);
    if (plan === undefined) {
      // A program owns the terminal, or the shell is none that we know: it reads the command as a line.
      const ownedByProgram = !released;
      this.#track(run.follow(undefined, typedAt, () => ownedByProgram && this.#released()));
      await process.writeStdin(Buffer.from(`${command}\r`));
      return run;
    }
    const nonce = randomBytes(8).toString('hex');
    const { line, remove } = this.#script(plan, command, nonce, column);
    this.record.current = { nonce, typedAt };
    this.#track(run.follow(nonce, typedAt, () => false));
    void run.done.then(remove);
    this.save();
    // Ctrl-U: whatever somebody has begun to type is not part of the command.
    await process.writeStdin(Buffer.from(`\x15${line}\r`));
    await settlesBefore(run.begun, AbortSignal.timeout(BEGIN_MS));
    return run;
  }

  attach(): Disposable {
    this.#viewers += 1;
    this.touch();
    return {
      [Symbol.dispose]: () => {
        this.#viewers -= 1;
        this.touch();
      },
    };
  }

  touch(): void {
    this.#usedAt = Date.now();
  }

  save(): void {
    this.record.lastUsedAt = new Date(this.#usedAt).toISOString();
    if (this.#closing === undefined) this.#tools.files.save(this.record);
  }

  /** SIGHUP to its processes, SIGKILL after the grace to those that are left. Its history goes too. */
  close(graceMs: number = CLOSE_GRACE_MS): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    this.#tools.files.remove(this.id);
    this.#run?.terminate();
    this.screen[Symbol.dispose]();
    const process = this.#process;
    if (process !== undefined) {
      await hangUp(this.#tools.host, () => this.#target(process), graceMs);
      await process.ended;
    }
    if (this.record.state === 'open') this.record.state = 'ended';
    this.history.close();
    this.#settleEnd();
    await this.history.remove();
    process?.acknowledgeExit();
  }

  #hold(process: HostedProcess, kind: ShellKind | undefined, base: number): void {
    this.#process = process;
    this.#kind = kind;
    this.history.append(process.output.stdout, base);
    void process.ended.then((end) => this.#shellEnded(process, base, end));
  }

  async #shellEnded(process: HostedProcess, base: number, end: ProcessEnd): Promise<void> {
    const log = process.output.stdout;
    while (!log.sealed) await log.advanced(log.end);
    const run = this.run;
    this.#process = undefined;
    if (run !== undefined && !end.lost) this.#restarting = this.#startAgain(run);
    run?.shellEnded(base + log.end, end);
    const goesOn = await this.#restarting;
    this.#restarting = undefined;
    if (this.#closing !== undefined) return;
    process.acknowledgeExit();
    if (goesOn) return;
    this.record.state = end.lost ? 'lost' : 'ended';
    this.record.exitCode = end.signal === null ? end.exitCode : -1;
    this.record.signal = end.signal;
    this.history.close();
    this.#settleEnd();
    this.touch();
    this.save();
  }

  /** A command ended the shell: the session goes on with another one. */
  async #startAgain(run: ExecRun): Promise<boolean> {
    try {
      await run.done;
      if (this.#closing === undefined) await this.start();
      return this.#process !== undefined;
    } catch {
      return false;
    }
  }

  #track(run: ExecRun): void {
    this.#run = run;
    void run.done.then(() => {
      this.record.current = null;
      this.#prompt.after = run.after;
      this.record.workingDir = run.directory ?? this.record.workingDir;
      this.touch();
      this.save();
    });
  }

  /** The shell itself has the terminal; where the system does not tell, it is taken to. */
  #released(): boolean {
    const group = this.#process && foregroundGroup(this.#process.pid);
    return group === undefined || group === this.#process?.pid;
  }

  #script(kind: ShellKind, command: string, nonce: string, column: number | undefined) {
    const owner = this.#tools.launcher.accountOf(this.record.user);
    // The path is as long as it is before the script that erases it is written.
    const { path, remove, fill } = this.#tools.execFiles.reserve(owner);
    const line = ` . ${path}`;
    fill(execScript(kind, { command, nonce, echo: echoOf(command, line, column, this.record.cols) }));
    return { line, remove };
  }

  #target({ id, pid }: HostedProcess): ProcessTarget {
    const identity = this.#tools.launcher.accountOf(this.record.user);
    return { id, pid, running: this.#process !== undefined, ...(identity && { identity }) };
  }

  #requireOpen(): HostedProcess {
    if (this.#process !== undefined && this.open) return this.#process;
    throw new SandboxError('conflict', `the session has ended: ${this.id}`, { hint: 'create another one' });
  }
}

import { randomBytes } from 'node:crypto';
import { waitFor } from '@sandbox/api/wait.ts';
import { textBeginning } from '@sandbox/program/text-beginning.ts';
import { sinceNow } from '../../../core/process/find/started-processes.ts';
import type { HostedProcess, ProcessEnd } from '../../../core/process/process-host.ts';
import { noticeDroppedEnd } from '../exec/dropped-end.ts';
import type { ExecFiles } from '../exec/exec-files.ts';
import { outputBetween } from '../exec/exec-output.ts';
import { ExecRun } from '../exec/exec-run.ts';
import { type Entry, echoOf, execLine, execScript, quoted, type ShellKind } from '../exec/exec-script.ts';
import { noticeMissedEnd } from '../exec/missed-end.ts';
import { Prompt } from '../exec/prompt.ts';
import type { Screen } from '../screen/screen.ts';
import type { FailedSession } from './failed-session.ts';
import type { History } from './history.ts';
import type { SessionEvents } from './session-events.ts';
import { CONSOLE_KEPT, type ConsoleRecord, type SessionRecord } from './session-record.ts';
import type { Shell } from './shell.ts';
import type { ShellLauncher } from './shell-launcher.ts';

/** Milliseconds within which a shell should begin a typed command; the caller is answered after them in any case. */
const BEGIN_MS = 1000;
/** Characters of a command that its record keeps. */
const COMMAND_KEPT = 2000;

export interface ExecTools {
  readonly launcher: ShellLauncher;
  readonly execFiles: ExecFiles;
  /** The output of a session could not be handled. */
  readonly failed: (error: unknown, session: FailedSession) => void;
}

/** What an `ExecTracker` observes, and how it reports the end of a command. */
export interface TrackedSession {
  readonly record: SessionRecord;
  readonly history: History;
  readonly screen: Screen;
  readonly shell: Shell;
  readonly events: SessionEvents;
  /** The output could not be handled. */
  readonly failed: (error: unknown) => void;
  /** The record has changed. */
  readonly changed: () => void;
}

/** An executed command with its prompt and its output so far. */
export interface ExecutedCommand {
  readonly ps1: string;
  readonly command: string;
  readonly output: string;
}

interface TypedScript {
  readonly command: string;
  readonly entry: Entry | undefined;
  readonly kind: ShellKind;
  readonly column: number | undefined;
}

/** What a shell shows before a command is typed. */
interface Prompted {
  readonly ps1: string;
  readonly column: number | undefined;
  /** No other program has the terminal. */
  readonly released: boolean;
}

/** Types the commands of `exec` into a shell and follows the newest one to its end. */
export class ExecTracker {
  readonly #tools: ExecTools;
  readonly #session: TrackedSession;
  readonly #prompt: Prompt;
  #run: ExecRun | undefined;

  constructor(tools: ExecTools, session: TrackedSession) {
    this.#tools = tools;
    this.#session = session;
    this.#prompt = new Prompt(session.history, session.screen);
  }

  /** The command that runs now. */
  get run(): ExecRun | undefined {
    return this.#run?.status === 'running' ? this.#run : undefined;
  }

  /** The commands that the record keeps, oldest first. */
  executed(): Promise<ExecutedCommand[]> {
    const { record, history } = this.#session;
    return Promise.all(
      record.console.map(async (entry) => ({
        ps1: entry.ps1,
        command: entry.command,
        output: await outputBetween(history, entry),
      })),
    );
  }

  /** Types a command; resolves once the shell has begun it. The caller lets no two calls overlap. */
  async type(process: HostedProcess, command: string, entry?: Entry): Promise<ExecRun> {
    const look = await this.#look();
    const run = new ExecRun(this.#session.history, this.#newEntry(look.ps1, command));
    await this.#begin(process, run, { command, entry }, look);
    return run;
  }

  /** A command that is typed when its shell runs, unless it was ended before. */
  typeLate(shell: Promise<HostedProcess>, command: string, entry?: Entry): ExecRun {
    const run = new ExecRun(this.#session.history, this.#newEntry('', command));
    this.#run = run;
    const typed = shell.then(async (process) => {
      const look = await this.#look();
      if (run.status !== 'running') return;
      run.console.ps1 = look.ps1;
      run.console.start = this.#session.history.end;
      await this.#begin(process, run, { command, entry }, look);
    });
    typed.catch(() => run.terminate());
    return run;
  }

  /** The prompt, and whether the shell reads the next line. */
  async #look(): Promise<Prompted> {
    await this.#prompt.settled(this.#session.record.shells.at(-1)?.base);
    const released = !this.#session.shell.isBusy;
    return { ...(await this.#prompt.look()), released };
  }

  async #begin(
    process: HostedProcess,
    run: ExecRun,
    { command, entry }: { readonly command: string; readonly entry: Entry | undefined },
    { released, column }: Prompted,
  ): Promise<void> {
    const { kind } = this.#session.shell;
    run.runsIn(process);
    if (released && kind !== undefined) await this.#typeScript(process, run, { command, entry, kind, column });
    else {
      const line = released && entry !== undefined ? `cd ${quoted(entry.path)}; ${command}` : command;
      await this.#typeLine(process, run, { command: line, ownedByProgram: !released });
    }
  }

  /** A new shell shows its first prompt after this offset. */
  shellStarted(base: number): void {
    this.#prompt.after = base;
  }

  /** Settles when the running command has ended with its shell; undefined if no command ran. */
  shellEnded(end: ProcessEnd, offset: number): Promise<void> | undefined {
    const { run } = this;
    run?.shellEnded(offset, end);
    return run?.done;
  }

  /** Follows the command that an earlier daemon typed. */
  resume(): void {
    const { record, history } = this.#session;
    const last = record.console.at(-1);
    if (record.current === null || last === undefined) return;
    const { nonce, typedAt, since } = record.current;
    const run = new ExecRun(history, last);
    run.since = since;
    this.#track(run.follow(nonce, typedAt, () => !this.#session.shell.isBusy));
  }

  /** The end of the command may lie before offset `from`, in output that was lost. */
  noticeMissedEnd(from: number): void {
    const { history, shell, failed } = this.#session;
    if (this.#run === undefined) return;
    const released = (): boolean => !shell.isBusy;
    noticeMissedEnd(this.#run, { history, prompt: this.#prompt, released }, from).catch(failed);
  }

  terminate(): void {
    this.#run?.terminate();
  }

  #newEntry(ps1: string, command: string): ConsoleRecord {
    const { record, history, events } = this.#session;
    const entry: ConsoleRecord = {
      ps1,
      command: textBeginning(command, COMMAND_KEPT),
      start: history.end,
      end: null,
      exitCode: null,
    };
    record.console.push(entry);
    record.console.splice(0, record.console.length - CONSOLE_KEPT);
    events.executes(entry);
    return entry;
  }

  /** A program owns the terminal, or `exec` does not know the shell: either reads the command as a line. */
  async #typeLine(
    process: HostedProcess,
    run: ExecRun,
    { command, ownedByProgram }: { command: string; ownedByProgram: boolean },
  ): Promise<void> {
    run.since = sinceNow(process.pid);
    this.#track(run.follow(undefined, run.console.start, () => ownedByProgram && !this.#session.shell.isBusy));
    await process.writeStdin(Buffer.from(`${command}\r`));
  }

  async #typeScript(process: HostedProcess, run: ExecRun, typed: TypedScript): Promise<void> {
    const nonce = randomBytes(8).toString('hex');
    const { line, path, remove } = this.#script(typed, nonce);
    const typedAt = run.console.start;
    run.since = sinceNow(process.pid);
    this.#session.record.current = { nonce, typedAt, since: run.since };
    this.#track(run.follow(nonce, typedAt, () => false));
    void run.gap.then(() => noticeDroppedEnd(run, path)).catch(this.#session.failed);
    void run.done.then(remove);
    this.#session.changed();
    // Ctrl-U erases a half-typed line, which would become part of the command.
    await process.writeStdin(Buffer.from(`\x15${line}\r`));
    await waitFor(run.begun, { ms: BEGIN_MS });
  }

  #track(run: ExecRun): void {
    this.#run = run;
    const { record, events, changed, failed } = this.#session;
    run.followed.catch(failed);
    void run.done.then(() => {
      events.executed(run.console);
      record.current = null;
      this.#prompt.after = run.after;
      record.workingDir = run.directory ?? record.workingDir;
      changed();
    });
    void run.told.then(() => {
      if (run.console.memoryKilled !== undefined) changed();
    });
  }

  #script({ kind, command, entry, column }: TypedScript, nonce: string) {
    const { record } = this.#session;
    const owner = this.#tools.launcher.accountOf(record.user);
    const { path, remove } = this.#tools.execFiles.write(owner, (at) =>
      execScript(kind, { command, entry, nonce, path: at, echo: echoOf(command, execLine(at), column, record.cols) }),
    );
    return { line: execLine(path), path, remove };
  }
}

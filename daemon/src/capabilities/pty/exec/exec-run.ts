import { Waiters } from '@sandbox/api/wait.ts';
import type { Since } from '../../../core/process/find/started-processes.ts';
import { killedOf, killedSince } from '../../../core/process/memory-kill.ts';
import type { HostedProcess, ProcessEnd } from '../../../core/process/process-host.ts';
import type { History } from '../session/history.ts';
import type { ConsoleRecord } from '../session/session-record.ts';
import { outputSoFar } from './exec-output.ts';
import type { ExecStatus } from './exec-status.ts';
import { type EndMark, MarkFinder } from './marks.ts';

const PIECE_BYTES = 256 * 1024;

interface ShellEnd {
  readonly offset: number;
  readonly end: ProcessEnd;
}

/** A command, from the moment its line is typed until its end is seen in the output. */
export class ExecRun {
  readonly console: ConsoleRecord;
  /** Settles when the shell has begun the command, or the command has ended. */
  readonly begun: Promise<void>;
  readonly done: Promise<void>;
  /** Settles after `done`, when the record says what the memory limit has killed of the command. */
  readonly told: Promise<void>;
  readonly history: History;
  /** When it was typed; undefined before that, and if the system does not show its processes. */
  since: Since | undefined;
  /** Settles when the output is followed no more; rejects if it cannot be handled. */
  followed: Promise<void> = Promise.resolve();
  readonly #begunAt = performance.now();
  #process: HostedProcess | undefined;
  readonly #settle: () => void;
  readonly #settleBegun: () => void;
  /** Fires at the end of the command. */
  readonly #over = new AbortController();
  /** Fires at the end of the shell, also at the end of the command. */
  readonly #stop = new AbortController();
  #status: ExecStatus = 'running';
  #isTyped = false;
  #isMarked = false;
  #released: () => boolean = () => false;
  #lostShell = false;
  #directory: string | undefined;
  #after = 0;
  #lastChange = performance.now();
  #scanned = 0;
  readonly #progress = new Waiters();
  readonly #gap = Promise.withResolvers<void>();
  /** End of the shell, and of its output. */
  #shellEnd: ShellEnd | undefined;
  /** A caller has signalled the command. */
  #signalled = false;
  /** Why the service ends the command. */
  #cause: 'hard_timeout' | 'terminated' | undefined;

  constructor(history: History, record: ConsoleRecord) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.console = record;
    this.done = promise;
    this.told = promise.then(() => this.#askMemory());
    const begun = Promise.withResolvers<void>();
    this.begun = begun.promise;
    this.#settleBegun = begun.resolve;
    this.history = history;
    this.#settle = resolve;
  }

  get status(): ExecStatus {
    return this.#status;
  }

  /** False while its shell is not started: no program of it runs. */
  get isTyped(): boolean {
    return this.#isTyped;
  }

  /** The shell itself runs it, and reports its end. */
  get isMarked(): boolean {
    return this.#isMarked;
  }

  /** The shell ended with the command that the service has ended: its variables and functions are lost. */
  get lostShell(): boolean {
    return this.#lostShell;
  }

  /** Directory of the shell at the end of the command. */
  get directory(): string | undefined {
    return this.#directory;
  }

  /** Fires at the end of the command. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Settles when output of the command was dropped, and its end mark may be; never if none was. */
  get gap(): Promise<void> {
    return this.#gap.promise;
  }

  /** Offset after the end mark. */
  get after(): number {
    return this.#after;
  }

  /** No end mark begins in a whole line before this offset. */
  get scanned(): number {
    return this.#scanned;
  }

  /** Resolves when more is scanned than `offset`, the command has ended, or the signal fired. */
  async moreScanned(offset: number, signal: AbortSignal): Promise<void> {
    while (this.#scanned <= offset && this.#status === 'running' && !signal.aborted)
      await this.#progress.next({ signal });
  }

  /** Milliseconds since the last output. */
  get silentMs(): number {
    return performance.now() - this.#lastChange;
  }

  /**
   * Watches the output for the end mark with this nonce. Without a nonce the command ends when `released` answers that
   * the shell has the terminal again.
   */
  follow(nonce: string | undefined, typedAt: number, released: () => boolean): this {
    this.#isTyped = true;
    this.#isMarked = nonce !== undefined;
    this.#released = released;
    this.followed = this.#follow(nonce === undefined ? undefined : new MarkFinder(nonce, typedAt), typedAt, released);
    return this;
  }

  /** The shell that the command is typed into. */
  runsIn(process: HostedProcess): void {
    this.#process = process;
  }

  shellEnded(offset: number, end: ProcessEnd): void {
    this.#shellEnd = { offset, end };
    this.#stop.abort();
  }

  signalled(): void {
    this.#signalled = true;
  }

  /** The service ends the command: the first cause is its status once it has ended. */
  endingFor(cause: 'hard_timeout' | 'terminated'): void {
    this.#cause ??= cause;
  }

  /** The end mark was lost. */
  endUnseen(exitCode: number | null = null): void {
    const status = this.#signalled && (exitCode ?? 0) > 128 ? 'terminated' : 'completed';
    this.#end(status, exitCode, this.history.end);
  }

  /** Ends a command without marks once the shell has the terminal again; answers whether it has. */
  endReleased(): boolean {
    const isReleased = this.#released();
    if (isReleased) this.#end('completed', null, this.history.end);
    return isReleased;
  }

  /** The session closes. */
  terminate(): void {
    this.#end('terminated', null, this.history.end);
  }

  /** The output so far. */
  async output(): Promise<string> {
    return outputSoFar(this.history, this.console);
  }

  async #follow(finder: MarkFinder | undefined, typedAt: number, released: () => boolean): Promise<void> {
    let at = typedAt;
    while (this.#status === 'running') {
      const { offset, bytes, isOver } = await this.history.read(at, PIECE_BYTES);
      if (offset > at) this.#gap.resolve();
      at = offset + bytes.length;
      const mark = this.#look(finder, offset, bytes);
      const isAllRead = bytes.length === 0;
      if (mark !== undefined) this.#endAt(mark);
      else if (this.#endsUnmarked(at, isOver)) return;
      else if (finder === undefined && released()) this.#end('completed', null, at);
      else if (isAllRead) await this.history.advanced(at, (this.#shellEnd ? this.#over : this.#stop).signal);
    }
  }

  /** Ends the command if the shell or the history has ended and the rest of the output has no mark. */
  #endsUnmarked(at: number, isOver: boolean): boolean {
    const shellEnd = this.#shellEnd;
    if (shellEnd !== undefined && (isOver || at >= shellEnd.offset)) this.#endWithShell(shellEnd);
    else if (isOver) this.terminate();
    return this.#status !== 'running';
  }

  #noteScanned(offset: number): void {
    this.#scanned = offset;
    this.#progress.wake();
  }

  #look(finder: MarkFinder | undefined, offset: number, bytes: Buffer): EndMark | undefined {
    if (bytes.length === 0) return undefined;
    this.#lastChange = performance.now();
    const mark = finder?.push(offset, bytes);
    if (finder?.outputStart !== undefined) {
      this.console.start = finder.outputStart;
      this.#settleBegun();
    }
    if (mark === undefined) this.#noteScanned(offset + bytes.length);
    return mark;
  }

  #endAt({ exitCode, directory, start, end }: EndMark): void {
    this.#directory = directory;
    const status = this.#signalled && (exitCode ?? 0) > 128 ? 'terminated' : 'completed';
    this.#end(status, exitCode ?? null, start, end);
  }

  async #askMemory(): Promise<void> {
    if (this.console.memoryKilled !== undefined) return;
    const killed = await killedSince(this.#begunAt, this.#process);
    if (killed !== undefined) this.console.memoryKilled = killed;
  }

  #endWithShell({ offset, end }: ShellEnd): void {
    if (end.signal !== null) this.console.signal = end.signal;
    // The usage is that of all commands of the shell.
    const killed = end.signal === 'SIGKILL' ? killedOf(end.usage) : undefined;
    if (killed !== undefined) this.console.memoryKilled = killed;
    this.#lostShell = this.#cause !== undefined;
    if (end.lost || end.signal !== null) this.#end('terminated', end.lost ? null : -1, offset);
    else this.#end('completed', end.exitCode, offset);
  }

  #end(status: ExecStatus, exitCode: number | null, end: number, after: number = end): void {
    if (this.#status !== 'running') return;
    this.#status = this.#cause ?? status;
    this.console.status = this.#status;
    this.#after = after;
    this.console.exitCode = exitCode;
    this.console.end = Math.max(end, this.console.start);
    this.#over.abort();
    this.#stop.abort();
    this.#settleBegun();
    this.#settle();
    this.#progress.wake();
  }
}

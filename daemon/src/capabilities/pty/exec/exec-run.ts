import type { ProcessEnd } from '../../../core/process/process-host.ts';
import type { History } from '../session/history.ts';
import type { ConsoleRecord } from '../session/session-record.ts';
import { type EndMark, MarkFinder } from './marks.ts';
import { plainText } from './plain-text.ts';

export const EXEC_STATUSES = ['running', 'completed', 'no_change_timeout', 'hard_timeout', 'terminated'] as const;
export type ExecStatus = (typeof EXEC_STATUSES)[number];

/** Bytes of output that an answer carries; the end of longer output. */
const ANSWER_BYTES = 8 * 1024 * 1024;
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
  readonly #history: History;
  readonly #settle: () => void;
  readonly #settleBegun: () => void;
  /** Fires at the end of the command. */
  readonly #over = new AbortController();
  /** Fires at the end of the shell, also at the end of the command. */
  readonly #stop = new AbortController();
  #status: ExecStatus = 'running';
  #directory: string | undefined;
  #after = 0;
  #lastChange = performance.now();
  /** End of the shell, and of its output. */
  #shellEnd: ShellEnd | undefined;
  /** A caller has signalled the command. */
  #signalled = false;

  constructor(history: History, record: ConsoleRecord) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.console = record;
    this.done = promise;
    const begun = Promise.withResolvers<void>();
    this.begun = begun.promise;
    this.#settleBegun = begun.resolve;
    this.#history = history;
    this.#settle = resolve;
  }

  get status(): ExecStatus {
    return this.#status;
  }

  /** Directory of the shell at the end of the command. */
  get directory(): string | undefined {
    return this.#directory;
  }

  /** Fires at the end of the command. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Offset after the end mark. */
  get after(): number {
    return this.#after;
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
    void this.#follow(nonce === undefined ? undefined : new MarkFinder(nonce, typedAt), typedAt, released);
    return this;
  }

  shellEnded(offset: number, end: ProcessEnd): void {
    this.#shellEnd = { offset, end };
    this.#stop.abort();
  }

  signalled(): void {
    this.#signalled = true;
  }

  /** The end mark was lost. */
  endUnseen(): void {
    this.#end('completed', null, this.#history.end);
  }

  /** The session closes. */
  terminate(): void {
    this.#end('terminated', null, this.#history.end);
  }

  /** The output so far. */
  async output(): Promise<string> {
    return outputBetween(this.#history, this.console);
  }

  async #follow(finder: MarkFinder | undefined, typedAt: number, released: () => boolean): Promise<void> {
    let at = typedAt;
    while (this.#status === 'running') {
      const { offset, bytes } = await this.#history.read(at, PIECE_BYTES);
      at = offset + bytes.length;
      const mark = this.#look(finder, offset, bytes);
      if (mark !== undefined) this.#endAt(mark);
      else this.#endWithoutMark(at, bytes.length === 0 && this.#history.closed);
      if (this.#status !== 'running') return;
      if (finder === undefined && released()) this.#end('completed', null, at);
      else if (bytes.length === 0) await this.#history.advanced(at, (this.#shellEnd ? this.#over : this.#stop).signal);
    }
  }

  /** @param isOver nothing follows: waiting for more would return at once */
  #endWithoutMark(at: number, isOver: boolean): void {
    const shellEnd = this.#shellEnd;
    if (shellEnd !== undefined && (isOver || at >= shellEnd.offset)) this.#endWithShell(shellEnd);
    else if (isOver) this.terminate();
  }

  #look(finder: MarkFinder | undefined, offset: number, bytes: Buffer): EndMark | undefined {
    if (bytes.length === 0) return undefined;
    this.#lastChange = performance.now();
    const mark = finder?.push(offset, bytes);
    if (finder?.outputStart !== undefined) {
      this.console.start = finder.outputStart;
      this.#settleBegun();
    }
    return mark;
  }

  #endAt({ exitCode, directory, start, end }: EndMark): void {
    this.#directory = directory;
    const status = this.#signalled && (exitCode ?? 0) > 128 ? 'terminated' : 'completed';
    this.#end(status, exitCode ?? null, start, end);
  }

  #endWithShell({ offset, end }: ShellEnd): void {
    if (end.lost || end.signal !== null) this.#end('terminated', end.lost ? null : -1, offset);
    else this.#end('completed', end.exitCode, offset);
  }

  #end(status: ExecStatus, exitCode: number | null, end: number, after: number = end): void {
    if (this.#status !== 'running') return;
    this.#status = status;
    this.#after = after;
    this.console.exitCode = exitCode;
    this.console.end = Math.max(end, this.console.start);
    this.#over.abort();
    this.#stop.abort();
    this.#settleBegun();
    this.#settle();
  }
}

/** The output of a console record as text; the end of output that is longer than an answer may be. */
export async function outputBetween(history: History, { start, end }: ConsoleRecord): Promise<string> {
  const to = Math.min(end ?? history.end, history.end);
  const parts: Buffer[] = [];
  for (let at = Math.max(start, to - ANSWER_BYTES); at < to; ) {
    const { offset, bytes } = await history.read(at, Math.min(PIECE_BYTES, to - at));
    if (bytes.length === 0 || offset >= to) break;
    parts.push(bytes.subarray(0, to - offset));
    at = offset + bytes.length;
  }
  return plainText(Buffer.concat(parts).toString('utf8'));
}

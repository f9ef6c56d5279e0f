import type { Identity } from '../../../core/account/identity.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import type { Had, OutputSink } from './output.ts';

/** Sessions of one table share their ids and a ceiling: an id of one table says nothing about another. */
export type SessionTable = 'kernel' | 'node' | 'bash';

/** A language or kernel that can run now. */
export interface LanguageInfo {
  /** As callers name it: `python`, `javascript`, `typescript`, `bash`, or the name of a kernel. */
  readonly language: string;
  readonly aliases: readonly string[];
  readonly description: string;
  /** Null if it could not be found out. */
  readonly version: string | null;
  /** Further facts for `info`, keys in camelCase. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** How a caller names what runs a cell. */
export interface LanguageRequest {
  readonly language: string;
  /** A Jupyter kernel, if it is named beside the language. */
  readonly kernelName?: string | undefined;
  /** Of 1.x: `node20`, `22`. */
  readonly version?: string | undefined;
  /** A kernel of the Jupyter server elsewhere. */
  readonly isOutside?: boolean | undefined;
}

/** What a request resolves to. */
export interface ResolvedLanguage {
  /** The language without aliases. */
  readonly language: string;
  /** What the runtime starts: the name of a kernelspec, the path of a `node`. Part of the key of a pool. */
  readonly variant: string;
  /** What differs from the request: `python3.10 is not installed; python3 (3.11) runs the cell`. */
  readonly warnings: readonly string[];
}

/** What an interpreter is started with. */
export interface InterpreterSpec extends Omit<ResolvedLanguage, 'warnings'> {
  readonly identity: Identity;
  readonly cwd: string;
  /** The caller's variables; `InterpreterProcesses.start` adds those of the sandbox and the account. */
  readonly env: Readonly<Record<string, string>>;
  /** It is started ahead of its caller, with what the options name loaded. */
  readonly isWarm?: boolean;
  /** It runs one cell and is discarded. */
  readonly isOneOff?: boolean;
}

export interface Cell {
  /** The id of the execution: unique, also across restarts of the daemon. */
  readonly id: string;
  /** Of one session, a cell may be JavaScript and the next TypeScript. */
  readonly language: string;
  readonly code: string;
  /** The process runs no other cell: JavaScript then waits until nothing is left to do, as a script does. */
  readonly isLast?: boolean | undefined;
  /** Prompts can be answered (`Interpreter.answer`); else `input()` raises. */
  readonly takesInput?: boolean | undefined;
  /** Of a kernel: code that it runs once, before the first cell that names it, without an output or a count. */
  readonly preparation?: string | undefined;
  /** Files by relative name, which JavaScript finds in its directory. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** Of a cell that an earlier daemon began: bytes of stdin that its process had been given before. */
  readonly stdinBefore?: number | undefined;
}

/** How a cell ended. */
export interface CellEnd {
  /** `died`: the process ended in it, and the service reports how; `lost`: its end was not observed. */
  readonly status: 'ok' | 'error' | 'died' | 'lost';
  readonly executionCount: number | null;
  /** Of a process or a shell; null for a kernel. */
  readonly exitCode: number | null;
}

/** A process that runs cells and keeps their state. The service gives it one cell at a time. */
export interface Interpreter extends AsyncDisposable {
  /** Started by `InterpreterProcesses.start`; when it has ended the service drops the session. */
  readonly process: HostedProcess;
  /**
   * Runs a cell to its end. Resolves when the cell has ended and all its outputs were written, or the process has
   * ended. Outputs that arrive while no cell runs are dropped. Never rejects for what the code does.
   */
  run(cell: Cell, sink: OutputSink): Promise<CellEnd>;
  /** Asks the running cell to end, as Ctrl-C does; `run` reports its end. No effect if none runs; never rejects. */
  interrupt(): Promise<void>;
  /** Answers the prompt that the cell has written to its sink; undefined is the end of input. */
  answer?(text: string | undefined): void;
  /** Changes directory and variables of an interpreter that was started ahead of its caller. */
  enter(cwd: string, env: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Of an interpreter that an earlier daemon started: the rest of a cell that was running then, with the outputs that
   * can still be had. The end is `lost` if it cannot be found out; no cell is run again. `had` is what the earlier
   * daemon has taken.
   */
  resume(cell: Cell, sink: OutputSink, had: Had): Promise<CellEnd>;
  /** Ends the process with all that it started, and removes its files. May be called in any state. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Runs the cells of one or more languages. */
export interface LanguageRuntime extends AsyncDisposable {
  /** Stored with its processes, so that a restarted daemon gives them back to it. */
  readonly name: string;
  readonly table: SessionTable;
  /** What there is now; looked up at the time of the call, or cached for a few seconds. Empty if nothing works. */
  languages(): Promise<readonly LanguageInfo[]>;
  /** Undefined if it does not serve that language, so that the next runtime is asked. */
  resolve(request: LanguageRequest): Promise<ResolvedLanguage | undefined>;
  /**
   * Starts an interpreter that is ready for its first cell.
   * @throws SandboxError `unavailable` with a hint if it does not start, within a deadline of the runtime
   */
  open(spec: InterpreterSpec): Promise<Interpreter>;
  /**
   * Takes back an interpreter that an earlier daemon started; `state` is what `start` was given. Undefined if it
   * does not answer; the service then ends the process.
   */
  attach(process: HostedProcess, state: unknown): Promise<Interpreter | undefined>;
  /** As `attach`, of an interpreter that no host holds; undefined if it is not of this runtime, or has ended. */
  reclaim?(processId: string): Promise<Interpreter | undefined>;
  /** Ends what the runtime holds beside the interpreters, such as pools and caches. */
  [Symbol.asyncDispose](): Promise<void>;
}

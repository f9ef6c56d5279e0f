import type { LanguageRequest, SessionTable } from '../runtime/language-runtime.ts';
import type { InputRequest, Output } from '../runtime/output.ts';
import type { InputTerms } from './cell-input.ts';

/** A call that runs code. */
export interface CellRequest extends LanguageRequest, InputTerms {
  readonly code: string;
  /** Of a session that is created on first use; undefined: a process that is discarded afterwards, unless `stateful`. */
  readonly sessionId?: string | undefined;
  /** Without `sessionId`: a session whose id is made up. */
  readonly stateful?: boolean | undefined;
  /** How long the cell may run, from its begin on. While it waits for its turn, how long it waits. */
  readonly timeoutSeconds: number;
  /** The session's directory if the call creates it; later ones run in theirs. */
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly user?: string | undefined;
  /** Seconds without use after which a session that the call creates is closed; undefined: as its table has it. */
  readonly idleSeconds?: number | undefined;
  /** Files by name, written to the directory of the cell before it runs (1.x `nodejs/execute`). */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** Without a session: the cell runs in an empty directory of its own, which is removed afterwards. */
  readonly ownDirectory?: boolean | undefined;
  /** Of a kernel: code that it runs once, before the first cell that names it, without an output or a count. */
  readonly preparation?: string | undefined;
  /** A call with the same key gets the execution of the first one. */
  readonly idempotencyKey?: string | undefined;
}

export type CellStatus = 'running' | 'ok' | 'error' | 'timeout' | 'lost';

/** An execution, as far as it has come. Neighbouring pieces of one stream are one output. */
export interface CellReport {
  readonly executionId: string;
  readonly table: SessionTable;
  readonly language: string;
  /** What runs it: the name of a kernelspec, the path of a `node`. */
  readonly variant: string;
  readonly code: string;
  readonly status: CellStatus;
  readonly executionCount: number | null;
  /** Of a process or shell, or of a kernel that died in the cell; else null. -1 after a signal. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly oomKilled: boolean | null;
  /** The program that the memory limit killed last, if it is known. */
  readonly oomProcess: string | null;
  readonly outputs: readonly Output[];
  readonly stdout: string;
  readonly stderr: string;
  readonly sessionId: string | null;
  readonly warnings: readonly string[];
  /** The prompt that waits for an answer. */
  readonly waitingForInput: InputRequest | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

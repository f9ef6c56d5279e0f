import type { SessionTable } from '../runtime/language-runtime.ts';
import type { InputTerms } from './cell-input.ts';
import type { CellStatus } from './cell-report.ts';

/** What is known of an execution before its cell runs. */
export interface ExecutionHead extends InputTerms {
  readonly id: string;
  readonly table: SessionTable;
  readonly language: string;
  readonly variant: string;
  readonly code: string;
  readonly sessionId: string | null;
  readonly warnings: readonly string[];
  readonly startedAt: Date;
  /** The same moment by the age clock. */
  readonly startedTick: number;
  /** Seconds that the cell may run. */
  readonly timeoutSeconds: number;
}

/** How an execution ended. */
export interface ExecutionEnd {
  readonly status: Exclude<CellStatus, 'running'>;
  readonly executionCount: number | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly oomKilled: boolean | null;
  /** The program that the memory limit killed last; absent in records of earlier versions. */
  readonly oomProcess?: string | null;
}

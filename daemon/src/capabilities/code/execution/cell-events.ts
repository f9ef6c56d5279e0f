import type { Recorder } from '../../../core/recorder/recorder.ts';
import type { Execution } from './execution.ts';
import type { ExecutionHead } from './execution-head.ts';

/** Reports that a cell was begun by the request of the caller. */
export function noteCell(recorder: Recorder, head: ExecutionHead): void {
  recorder.note('cell.begun', refsOf(head), { language: head.language, code: head.code });
}

/** Reports a cell of an earlier daemon that runs. */
export function noteFoundCell(recorder: Recorder, head: ExecutionHead): void {
  const { language, code, startedAt } = head;
  recorder.observe('cell.found', refsOf(head), { language, code, startedAt: startedAt.toISOString() });
}

export function noteCellEnd(recorder: Recorder, execution: Execution): void {
  const { head, end, count: outputs } = execution;
  if (!recorder.isOn || end === undefined) return;
  const { status, executionCount, exitCode, signal } = end;
  recorder.observe('cell.ended', refsOf(head), { status, executionCount, exitCode, signal, outputs });
}

function refsOf({ id, sessionId }: ExecutionHead): { readonly executionId: string; readonly sessionId: string | null } {
  return { executionId: id, sessionId };
}

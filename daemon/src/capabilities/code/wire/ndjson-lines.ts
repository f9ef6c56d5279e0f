import { jsonText } from '@sandbox/program/json-text.ts';
import { isLoss } from '../../../core/event-log.ts';
import type { Execution } from '../execution/execution.ts';
import { cellHead, followedOutput, summaryOf } from './wire.ts';

/** Outputs that are taken from the log at once. */
const PAGE = 256;

/** An execution as NDJSON lines: its id, its outputs from that number on as they come, and its result. */
export async function* executionLines(execution: Execution, offset: number, gone: AbortSignal): AsyncGenerator<string> {
  yield line({ type: 'execution', execution_id: execution.id, session_id: execution.head.sessionId });
  for (let next = offset; ; ) {
    const entries = execution.from(next, PAGE);
    for (const entry of entries) {
      next = entry.seq;
      if (isLoss(entry)) yield line({ type: 'dropped', first_offset: entry.seq });
      else {
        const output = followedOutput(entry);
        if (output) yield line({ type: 'output', offset: entry.seq - 1, output });
      }
    }
    if (entries.length > 0) continue;
    if (!execution.isRunning) break;
    await execution.moreThan(next, { signal: gone });
    if (gone.aborted) return;
  }
  const report = execution.report();
  const { stdout, stderr } = report;
  yield line({
    type: 'result',
    offset: execution.count,
    message: summaryOf(report),
    ...cellHead(report),
    stdout,
    stderr,
  });
}

function line(value: object): string {
  return `${jsonText(value)}\n`;
}

import { jsonText } from '@sandbox/program/json-text.ts';
import { isLoss } from '../../../core/event-log.ts';
import type { Execution, OutputEntry } from '../execution/execution.ts';
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
      const followed = followedLine(entry);
      if (followed) yield line(followed);
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

/** Undefined for what a reader is not shown. */
function followedLine(entry: OutputEntry): object | undefined {
  if (isLoss(entry)) return { type: 'dropped', first_offset: entry.seq };
  const offset = entry.seq - 1;
  if (entry.type === 'input_request') {
    return { type: 'input_request', offset, prompt: entry.prompt, password: entry.isPassword };
  }
  const output = followedOutput(entry);
  return output && { type: 'output', offset, output };
}

function line(value: object): string {
  return `${jsonText(value)}\n`;
}

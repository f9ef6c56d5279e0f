import type { Cell, CellEnd } from '../runtime/language-runtime.ts';
import type { ErrorOutput, OutputSink } from '../runtime/output.ts';
import type { Message } from './control-channel.ts';

/** Lines of a traceback that are taken. */
const TRACEBACK_LINES = 200;

/** The end that an interpreter reports; its value and its error are the last outputs of the cell. */
export function cellEnd(message: Message, sink: OutputSink): CellEnd {
  const executionCount = Number.isSafeInteger(message['count']) ? (message['count'] as number) : null;
  if (message['lost'] === true) return { status: 'lost', executionCount, exitCode: null };
  const { value, error } = message;
  if (typeof value === 'string') {
    sink.write({ type: 'execute_result', data: { 'text/plain': value }, metadata: {}, executionCount });
  }
  if (error === undefined) return { status: 'ok', executionCount, exitCode: 0 };
  sink.write(errorOf(error));
  return { status: 'error', executionCount, exitCode: 1 };
}

/** The end of a cell that has ended its process; `code` is that of an orderly exit, which has left its mark. */
export function exitEnd(code: number | undefined, { isLast }: Cell, sink: OutputSink): CellEnd {
  if (code === undefined) return { status: 'died', executionCount: null, exitCode: null };
  if (code === 0) return { status: 'ok', executionCount: null, exitCode: 0 };
  if (!isLast) {
    const evalue = `the code has ended the interpreter with exit code ${code}; the next cell begins a new one`;
    sink.write({ type: 'error', ename: 'ProcessExit', evalue, traceback: [`ProcessExit: ${evalue}`] });
  }
  return { status: 'error', executionCount: null, exitCode: code };
}

/** What the interpreter sends may be anything. */
function errorOf(error: unknown): ErrorOutput {
  const { ename, evalue, traceback } = (typeof error === 'object' && error !== null ? error : {}) as Message;
  const lines = Array.isArray(traceback) ? traceback.slice(0, TRACEBACK_LINES).map(String) : [];
  return { type: 'error', ename: textOf(ename, 'Error'), evalue: textOf(evalue, ''), traceback: lines };
}

function textOf(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

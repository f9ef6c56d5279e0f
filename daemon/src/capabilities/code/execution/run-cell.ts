import { type WaitEnd, waitFor } from '@sandbox/api/wait.ts';
import { killedOf, killedSince, killedSuffix } from '../../../core/process/memory-kill.ts';
import type { ProcessEnd } from '../../../core/process/process-host.ts';
import type { CellEnd, Interpreter } from '../runtime/language-runtime.ts';
import { type ErrorOutput, GAP } from '../runtime/output.ts';
import { howEnded } from '../runtime/start-failure.ts';
import type { Execution } from './execution.ts';
import type { ExecutionEnd } from './execution-head.ts';

/** Milliseconds that an interrupted cell has before its process is killed. */
export const INTERRUPT_GRACE_MS = 2000;
/** Milliseconds that an interpreter may take to notice the end of its process. */
const NOTICE_MS = 5000;

/**
 * Follows a cell that runs to its end, within its time: past it the cell is interrupted, and its process is killed
 * where that does not end it. Never rejects.
 */
export async function superviseCell(
  interpreter: Interpreter,
  running: Promise<CellEnd>,
  execution: Execution,
  timeoutMs: number,
): Promise<void> {
  const begun = performance.now();
  const ending = settled(running);
  const isOver = (await within(ending, timeoutMs)) !== 'settled';
  if (isOver) await interrupt(interpreter, ending);
  const died: CellEnd = { status: 'died', executionCount: null, exitCode: null };
  const isKnown = !isOver || (await within(ending, NOTICE_MS)) === 'settled';
  const end = isKnown ? await ending : died;
  if (isOver) execution.write(timeoutError(timeoutMs));
  if (end.status === 'died') {
    const hasEnded = (await within(interpreter.process.ended, NOTICE_MS)) === 'settled';
    const processEnd = hasEnded ? await interpreter.process.ended : undefined;
    if (!isOver) execution.write(deathError(processEnd));
    execution.finish(deathOf(processEnd, isOver));
    return;
  }
  const status = isOver && end.status !== 'lost' ? 'timeout' : end.status;
  const exitCode = isOver && end.exitCode !== null ? -1 : end.exitCode;
  const killed = await killedSince(begun, interpreter.process);
  const [oomKilled, oomProcess] = [killed === undefined ? null : true, killed || null];
  execution.finish({ status, executionCount: end.executionCount, exitCode, signal: null, oomKilled, oomProcess });
}

/** Ends a cell of an earlier daemon whose interpreter is gone; `end`: its end, if the process host has it. */
export function finishWithout(execution: Execution, end: ProcessEnd | undefined): void {
  if (end === undefined || end.lost) {
    execution.finish({ status: 'lost', executionCount: null, exitCode: null, signal: null, oomKilled: null });
    return;
  }
  execution.write(GAP);
  execution.write(deathError(end));
  execution.finish(deathOf(end, false));
}

async function interrupt(interpreter: Interpreter, ending: Promise<CellEnd>): Promise<void> {
  const asked = settled(interpreter.interrupt().then(() => undefined));
  if ((await within(ending, INTERRUPT_GRACE_MS)) === 'settled') return;
  await within(asked, 0);
  await interpreter[Symbol.asyncDispose]();
}

function deathOf(end: ProcessEnd | undefined, isTimeout: boolean): ExecutionEnd {
  return {
    status: isTimeout ? 'timeout' : 'error',
    executionCount: null,
    exitCode: end?.exitCode ?? -1,
    signal: end?.signal ?? null,
    oomKilled: end?.usage?.oomKilled ?? null,
    oomProcess: end?.usage?.oomProcess ?? null,
  };
}

function deathError(end: ProcessEnd | undefined): ErrorOutput {
  const how = end ? `${howEnded(end)} while the cell ran` : 'does not answer';
  const evalue = `the interpreter ${how}${killedSuffix(killedOf(end?.usage))}`;
  return { type: 'error', ename: 'InterpreterDied', evalue, traceback: [`InterpreterDied: ${evalue}`] };
}

function timeoutError(ms: number): ErrorOutput {
  const evalue = `the cell ran longer than its timeout of ${ms / 1000} s`;
  return { type: 'error', ename: 'TimeoutError', evalue, traceback: [`TimeoutError: ${evalue}`] };
}

/** A rejection is a defect of the runtime; the process is then of unknown state. */
function settled<T>(event: Promise<T>): Promise<T | CellEnd> & Promise<CellEnd> {
  const died: CellEnd = { status: 'died', executionCount: null, exitCode: null };
  return event.catch(() => died) as Promise<T | CellEnd> & Promise<CellEnd>;
}

function within(event: Promise<unknown>, ms: number): Promise<WaitEnd> {
  return waitFor(event, { ms });
}

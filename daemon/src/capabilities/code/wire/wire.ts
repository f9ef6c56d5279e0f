import { isAbsolute } from 'node:path';
import { wireNamed } from '@sandbox/api/http/wire-names.ts';
import type { z } from 'zod';
import { killedOf, killedSuffix } from '../../../core/process/memory-kill.ts';
import type { CellReport } from '../execution/cell-report.ts';
import type { OutputEvent } from '../runtime/output.ts';
import type { SessionInfo } from '../session/session-info.ts';
import { notebookOutput } from './notebook-output.ts';
import type { CellResult, CodeSession, NotebookOutput } from './schemas.ts';

/** Of a reader that follows: an update is shown as what it shows; a clearing and a prompt are no outputs. */
export function followedOutput(event: OutputEvent): z.infer<typeof NotebookOutput> | undefined {
  if (event.type === 'clear_output' || event.type === 'input_request') return undefined;
  if (event.type === 'update_display_data') return notebookOutput({ ...event, type: 'display_data' });
  return notebookOutput(event);
}

export function cellResult(report: CellReport): z.infer<typeof CellResult> {
  return {
    ...cellHead(report),
    outputs: report.outputs.map(notebookOutput),
    stdout: report.stdout,
    stderr: report.stderr,
  };
}

export function cellHead(report: CellReport): Omit<z.infer<typeof CellResult>, 'outputs' | 'stdout' | 'stderr'> {
  return {
    execution_id: report.executionId,
    language: report.language,
    code: report.code,
    status: report.status,
    execution_count: report.executionCount,
    exit_code: report.exitCode,
    signal: report.signal,
    oom_killed: report.oomKilled,
    oom_process: report.oomProcess,
    session_id: report.sessionId,
    kernel_name: kernelNameOf(report),
    warnings: [...report.warnings],
    waiting_for_input: waitingOf(report),
    started_at: report.startedAt,
    ended_at: report.endedAt,
  };
}

function waitingOf({ waitingForInput }: CellReport): z.infer<typeof CellResult>['waiting_for_input'] {
  if (waitingForInput === null) return null;
  return { prompt: waitingForInput.prompt, password: waitingForInput.isPassword };
}

/** The state of an execution in one line. */
export function summaryOf(report: CellReport): string {
  // The error of an interpreter that died says so itself.
  const isSaid = report.outputs.some((output) => output.type === 'error' && output.ename === 'InterpreterDied');
  return stateOf(report, report.status) + (isSaid ? '' : killedSuffix(killedOf(report)));
}

function stateOf({ outputs, waitingForInput }: CellReport, status: CellReport['status']): string {
  const error = outputs.findLast((output) => output.type === 'error');
  switch (status) {
    case 'running':
      return waitingForInput ? 'the cell waits for input' : 'the cell is running';
    case 'ok':
      return 'the cell ended';
    case 'timeout':
      return 'the cell was ended by its timeout';
    case 'lost':
      return 'the end of the cell was not observed';
    default:
      return error ? `${error.ename}: ${error.evalue}`.slice(0, 500) : 'the cell failed';
  }
}

/** What to do about a cell that did not end in its time; null for any other. */
export function timeoutHint({ status }: CellReport): string | null {
  if (status !== 'timeout') return null;
  return 'run it again with a longer timeout, or as a command (POST /v2/commands), which runs on past the timeout of its call';
}

/** A cell that raised, or did not come to its end, is a failure; one that runs is none. */
export function hasFailed({ status }: CellReport): boolean {
  return status !== 'ok' && status !== 'running';
}

export function codeSession(info: SessionInfo): z.infer<typeof CodeSession> {
  return {
    session_id: info.sessionId,
    language: info.language,
    kernel_name: kernelNameOf(info),
    working_dir: info.cwd,
    user: info.user,
    pid: info.pid,
    state: info.state,
    created_at: info.createdAt,
    last_used_at: info.lastUsedAt,
    max_idle_seconds: info.idleSeconds,
    execution_count: info.executionCount,
  };
}

/** Python without a kernel is in the table of kernels too; what runs it is the path of a program. */
function kernelNameOf({ table, variant }: Pick<SessionInfo, 'table' | 'variant'>): string | null {
  return table === 'kernel' && !isAbsolute(variant) ? variant : null;
}

export function detailsOnWire(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return wireNamed(details) as Record<string, unknown>;
}

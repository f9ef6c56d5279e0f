import type { z } from 'zod';
import { killedSuffix } from '../../../core/process/memory-kill.ts';
import type { ExecReport, SessionView } from '../pty-service.ts';
import type { PtySession } from '../session/session.ts';
import { execResult } from '../wire/wire.ts';
import type { ExecBodyV1, ExecResultV1, SessionInfoV1, ViewResult } from './schemas.ts';

/** The most characters of output in an answer of 1.x. */
export const TRUNCATED = 30_000;

/** The beginning and the end of longer output, with a note between them. */
function truncated(output: string): string {
  if (output.length <= TRUNCATED) return output;
  const note = `\n[... ${output.length - TRUNCATED} characters left out ...]\n`;
  const kept = TRUNCATED - note.length;
  return output.slice(0, Math.ceil(kept / 2)) + note + output.slice(output.length - Math.floor(kept / 2));
}

export function sessionInfoV1(session: PtySession): z.infer<typeof SessionInfoV1> {
  const { record } = session;
  return {
    working_dir: session.workingDir,
    created_at: record.createdAt,
    last_used_at: session.usage.lastUsedAt.toISOString(),
    age_seconds: Math.floor(session.usage.ageMs / 1000),
    status: session.status,
    current_command: session.run?.console.command ?? null,
  };
}

export function symlinksOf(preserve: boolean): 'keep' | 'resolve' {
  return preserve ? 'keep' : 'resolve';
}

/** Where a command of 1.x runs. */
export function placeOf({ id, exec_dir: path, strict, preserve_symlinks }: z.infer<typeof ExecBodyV1>) {
  const directory =
    path === undefined ? undefined : { path, required: strict, symlinks: symlinksOf(preserve_symlinks) };
  return { id, directory };
}

export function execResultV1(
  report: ExecReport,
  { command, truncate }: Pick<z.infer<typeof ExecBodyV1>, 'command' | 'truncate'>,
): z.infer<typeof ExecResultV1> {
  const output = truncate ? truncated(report.output) : report.output;
  const { exit_code, signal: _, oom_killed: __, oom_process: ___, ...result } = execResult({ ...report, output });
  return { ...result, command, exit_code: report.status === 'completed' ? exit_code : null };
}

/** What a message says of a program of the last command that the memory limit killed; empty if it killed none. */
export function lastKillSuffix({ record }: PtySession): string {
  return killedSuffix(record.console.at(-1)?.memoryKilled);
}

/** How to continue with a command that has not ended. */
export function continueHintV1({ sessionId, status }: ExecReport): string | null {
  if (status !== 'running' && status !== 'no_change_timeout') return null;
  const id = JSON.stringify({ id: sessionId });
  return `it runs on: POST /v1/shell/wait ${id} waits for its end, /v1/shell/view shows its output, /v1/shell/kill ends it`;
}

export function viewResult(session: PtySession, { executed, text }: SessionView): z.infer<typeof ViewResult> {
  const console = executed.map((entry) => ({ ...entry, output: truncated(entry.output) }));
  const last = session.record.console.at(-1);
  const status = session.lastStatus;
  return {
    session_id: session.id,
    output: text,
    console,
    status,
    command: last?.command ?? null,
    exit_code: status === 'completed' ? (last?.exitCode ?? null) : null,
  };
}

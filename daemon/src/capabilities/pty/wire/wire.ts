import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { z } from 'zod';
import { answerOfDone, crowdedText } from '../../../core/answers/done-work.ts';
import { killedSuffix } from '../../../core/process/memory-kill.ts';
import type { ExecReport, PtyService, SessionStats } from '../pty-service.ts';
import { endFields } from '../session/end-fields.ts';
import type { PtySession } from '../session/session.ts';
import type { AttachOptions } from '../viewer/attach.ts';
import type { AnonymousQuery, AttachQuery, ExecResult, SessionInfo, Stats } from './schemas.ts';

export function sessionInfo(session: PtySession): z.infer<typeof SessionInfo> {
  const { id, record, history } = session;
  return {
    session_id: id,
    working_dir: session.workingDir,
    cols: record.cols,
    rows: record.rows,
    pid: session.pid,
    status: session.status,
    created_at: record.createdAt,
    last_used_at: session.usage.lastUsedAt.toISOString(),
    attached: session.attached,
    exit_code: record.exitCode,
    ...endFields(record),
    offset: history.end,
    first_offset: history.first,
    current_command: session.run?.console.command ?? null,
  };
}

/** Says where the shell has not started: the process host does not answer. */
export function openMessage({ id, startsLate }: PtySession): string {
  return startsLate
    ? `session ${id} is open; its shell starts when the process keeper answers (GET /ready)`
    : `session ${id} is open`;
}

export function execMessage({ status, signal, memoryKilled, lostShell }: ExecReport): string {
  const ended = signal === undefined ? '' : `; the shell was ended by ${signal}`;
  return withLostShell(`command ${status}${ended}${killedSuffix(memoryKilled)}`, lostShell);
}

/** How to continue with a command that has not ended. */
export function continueHint({ sessionId, status }: ExecReport): string | null {
  if (status !== 'running' && status !== 'no_change_timeout') return null;
  const path = `/v2/pty/sessions/${sessionId}`;
  return `it runs on: GET ${path}/screen?wait=10 shows its output, POST ${path}/input types, POST ${path}/signal {"signal":"SIGTERM"} ends it`;
}

export function withLostShell(message: string, lostShell: boolean): string {
  return lostShell ? `${message}; the shell did not survive, another one continues without its state` : message;
}

export function statsOf({ total, active, idle, max, timeout }: SessionStats): z.infer<typeof Stats> {
  return {
    total_sessions: total,
    active_sessions: active,
    idle_sessions: idle,
    max_sessions: max,
    session_timeout: Math.round(timeout),
    usage_ratio: total / max,
  };
}

export function sessionsById(service: PtyService): Record<string, z.infer<typeof SessionInfo>> {
  return Object.fromEntries(service.list().map((session) => [session.id, sessionInfo(session)]));
}

export function execResult(report: ExecReport): z.infer<typeof ExecResult> {
  const { sessionId, ps1, command, output, status, exitCode } = report;
  const console = [{ ps1, command, output }];
  return { session_id: sessionId, command, status, output, console, exit_code: exitCode, ...endFields(report) };
}

/** The answer that `build` makes of the report of a command that was begun; with less output if memory is short. */
export function execAnswer<T>(report: ExecReport, build: (report: ExecReport) => T): T {
  return answerOfDone(report, shortened, build);
}

function shortened(report: ExecReport): ExecReport {
  return { ...report, command: crowdedText(report.command), output: crowdedText(report.output) };
}

/** @throws SandboxError `invalid` if an anonymous shell is asked for what needs the id of a session */
export function requireId(id: string | undefined, { durable, restore }: z.infer<typeof AttachQuery>): void {
  if (id !== undefined || (!durable && !restore)) return;
  throw new SandboxError('invalid', `${durable ? 'durable' : 'restore'} needs the id of a session`, {
    hint: 'create a session and attach to /v2/pty/sessions/{id}/ws',
  });
}

export function attachOptions(
  query: z.infer<typeof AttachQuery> & Partial<z.infer<typeof AnonymousQuery>>,
): AttachOptions {
  const { protocol, readonly, restore, replay_bytes, since, cols, rows, cwd, user } = query;
  return { protocol, readonly, restore, replayBytes: replay_bytes, since, cols, rows, cwd, user };
}

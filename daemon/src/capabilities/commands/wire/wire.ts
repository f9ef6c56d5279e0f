import type { z } from 'zod';
import type { CommandService } from '../command-service.ts';
import type { Excerpt } from '../output/excerpt.ts';
import type { Command } from '../run/command.ts';
import type { CommandSession } from '../store/sessions.ts';
import type { CommandInfo, CommandResult, Session } from './schemas.ts';

export function commandInfo({ record }: Command): z.infer<typeof CommandInfo> {
  const { usage } = record;
  return {
    command_id: record.id,
    session_id: record.sessionId,
    command: record.command,
    status: record.status,
    exit_code: record.exitCode,
    signal: record.signal,
    pid: record.pid,
    background: record.background,
    started_at: record.startedAt,
    ended_at: record.endedAt,
    usage: usage && {
      cpu_user_ms: usage.cpuUserMs,
      cpu_system_ms: usage.cpuSystemMs,
      max_rss_bytes: usage.maxRssBytes,
      oom_killed: usage.oomKilled,
    },
  };
}

export function commandResult(
  command: Command,
  { stdout, stderr, output, truncated }: Excerpt,
): z.infer<typeof CommandResult> {
  return {
    ...commandInfo(command),
    stdout,
    stderr,
    output,
    offset: command.output.stdout.end,
    stderr_offset: command.output.stderr.end,
    truncated,
  };
}

/** One line that says what became of the command. */
export function summaryOf({ record: { status, exitCode, signal, message } }: Command): string {
  switch (status) {
    case 'completed':
      return `the command completed with exit code ${exitCode}`;
    case 'killed':
      return `the command was ended by ${signal}`;
    case 'timed_out':
      return 'the command was ended by its hard timeout';
    case 'failed':
      return `the command could not be started: ${message}`;
    case 'lost':
      return `the command is lost: ${message}`;
    default:
      return 'the command is running';
  }
}

export function sessionInfo(service: CommandService, session: CommandSession): z.infer<typeof Session> {
  const running = service.commandsOf(session.id).findLast(({ isRunning }) => isRunning);
  return {
    session_id: session.id,
    status: 'ready',
    working_dir: service.directoryOf(session),
    created_at: session.createdAt,
    last_used_at: session.lastUsedAt,
    current_command: running?.record.command ?? null,
    command_count: session.commandCount,
  };
}

export function sentTo(signal: string, processes: number): string {
  return `${signal} sent to ${processes} ${processes === 1 ? 'process' : 'processes'}`;
}

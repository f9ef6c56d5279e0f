import type { z } from 'zod';
import { answerOfDone, crowdedText } from '../../../core/answers/done-work.ts';
import { killedOf, killedSuffix } from '../../../core/process/memory-kill.ts';
import type { CommandReport } from '../command-service.ts';
import type { CommandRecord } from '../run/command.ts';
import type { SessionView } from '../session-service.ts';
import type { CommandInfo, CommandResult, Session } from './schemas.ts';

export function commandInfo(record: CommandRecord): z.infer<typeof CommandInfo> {
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
    ended_by: record.guardedProgram === undefined ? null : 'memory_guard',
    usage: usage && {
      cpu_user_ms: usage.cpuUserMs,
      cpu_system_ms: usage.cpuSystemMs,
      max_rss_bytes: usage.maxRssBytes,
      oom_killed: usage.oomKilled,
      // An earlier version did not record it.
      oom_process: usage.oomProcess ?? null,
    },
    // An earlier version did not record them.
    stdin_bytes: record.stdinBytes ?? 0,
    stdin_dropped: record.stdinDropped ?? 0,
    key: record.keyName ?? null,
  };
}

/** Characters of a command's text in a list. */
const LISTED_COMMAND_MAX = 1024;

/** As one of a list: a thousand whole scripts would stop the daemon for a second. */
export function listedCommand(record: CommandRecord): z.infer<typeof CommandInfo> {
  return { ...commandInfo(record), command: record.command.slice(0, LISTED_COMMAND_MAX) };
}

export function commandResult({ record, excerpt }: CommandReport): z.infer<typeof CommandResult> {
  const { stdout, stderr, output, truncated, ends } = excerpt;
  return { ...commandInfo(record), stdout, stderr, output, offset: ends.stdout, stderr_offset: ends.stderr, truncated };
}

/** The answer that `build` makes of the report of a command that was begun; with less output if memory is short. */
export function commandAnswer<T>(report: CommandReport, build: (report: CommandReport) => T): T {
  return answerOfDone(report, shortened, build);
}

function shortened({ record, excerpt }: CommandReport): CommandReport {
  const command = crowdedText(record.command);
  const [stdout, stderr] = [crowdedText(excerpt.stdout), crowdedText(excerpt.stderr)];
  const output = crowdedText(excerpt.output);
  return { record: { ...record, command }, excerpt: { ...excerpt, stdout, stderr, output, truncated: true } };
}

/** The state of the command in one line. */
export function summaryOf(record: CommandRecord): string {
  const { guardedProgram, usage } = record;
  if (guardedProgram === undefined) return stateOf(record) + killedSuffix(killedOf(usage));
  return `${stateOf(record)}; the memory guard ended it because memory was short (${guardedProgram})`;
}

function stateOf({ status, exitCode, signal, message }: CommandRecord): string {
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

export function sessionInfo({ session, workingDir, currentCommand }: SessionView): z.infer<typeof Session> {
  return {
    session_id: session.id,
    status: 'ready',
    working_dir: workingDir,
    created_at: session.createdAt,
    last_used_at: session.lastUsedAt,
    current_command: currentCommand,
    command_count: session.commandCount,
  };
}

export function sentTo(signal: string, processes: number): string {
  return `${signal} sent to ${processes} ${processes === 1 ? 'process' : 'processes'}`;
}

import type { z } from 'zod';
import type { Excerpt } from '../output/excerpt.ts';
import type { Command } from '../run/command.ts';
import type { ExecResult, OutputResult } from './schemas.ts';

type StatusV1 = z.infer<typeof ExecResult>['status'];

export function execResult(command: Command, { stdout, stderr }: Excerpt): z.infer<typeof ExecResult> {
  const { record, output } = command;
  return {
    ...infoV1(command),
    session_id: record.sessionId ?? '',
    stdout,
    // 1.x knew no command that could not be started: its shell would have said why on stderr.
    stderr: record.status === 'failed' ? `${record.message}\n` : stderr,
    offset: output.stdout.end,
    stderr_offset: output.stderr.end,
  };
}

export function infoV1({ record }: Command): NonNullable<z.infer<typeof OutputResult>['command']> {
  return {
    command_id: record.id,
    command: record.command,
    status: statusV1(record.status),
    exit_code: exitCodeV1(record),
  };
}

function statusV1(status: Command['record']['status']): StatusV1 {
  if (status === 'failed') return 'completed';
  return status === 'lost' ? 'killed' : status;
}

function exitCodeV1({ status, exitCode }: Command['record']): number | null {
  return status === 'lost' ? -1 : exitCode;
}

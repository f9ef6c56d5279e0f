import type { z } from 'zod';
import type { CommandReport } from '../command-service.ts';
import type { CommandRecord } from '../run/command.ts';
import type { ExecResult, OutputResult } from './schemas.ts';

type StatusV1 = z.infer<typeof ExecResult>['status'];

export function execResult({ record, excerpt }: CommandReport): z.infer<typeof ExecResult> {
  return {
    ...infoV1(record),
    session_id: record.sessionId ?? '',
    stdout: excerpt.stdout,
    // 1.x has no status for a command that could not be started: its shell wrote the reason to stderr.
    stderr: record.status === 'failed' ? `${record.message}\n` : excerpt.stderr,
    offset: excerpt.ends.stdout,
    stderr_offset: excerpt.ends.stderr,
  };
}

export function infoV1(record: CommandRecord): NonNullable<z.infer<typeof OutputResult>['command']> {
  return {
    command_id: record.id,
    command: record.command,
    status: statusV1(record.status),
    exit_code: exitCodeV1(record),
  };
}

function statusV1(status: CommandRecord['status']): StatusV1 {
  if (status === 'failed') return 'completed';
  return status === 'lost' ? 'killed' : status;
}

function exitCodeV1({ status, exitCode }: CommandRecord): number | null {
  return status === 'lost' ? -1 : exitCode;
}

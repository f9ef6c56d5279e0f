import { z } from 'zod';
import { CommandText, StringMap, Text } from '../../../http/fields.ts';
import { Session, Signal } from '../wire/schemas.ts';

/** 1.x has no bounds here, so that a value outside of them becomes the nearest one. */
function clamped(min: number, max: number) {
  return z.number().transform((value) => Math.min(max, Math.max(min, value)));
}

/** Seconds. */
const TIMEOUT_MAX = 10 * 365 * 86_400;
const offset = () => z.number().transform((value) => Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(value))));

/** A published client sends "" for none. */
const OptionalSessionId = Text.max(128)
  .transform((id) => id || undefined)
  .optional();

export const ExecBody = z
  .object({
    session_id: OptionalSessionId,
    command: CommandText,
    exec_dir: Text.optional().meta({ description: "Absolute; from now on the session's default." }),
    env: StringMap.optional().meta({ description: 'For this command alone.' }),
    async_mode: z.boolean().default(false),
    timeout: clamped(0, TIMEOUT_MAX).optional().meta({ description: 'Seconds to wait; unset: until the end.' }),
    hard_timeout: clamped(0.001, TIMEOUT_MAX).optional(),
    max_output_length: offset().default(50_000).meta({ description: 'Characters of each stream; 0: no limit.' }),
  })
  .meta({ id: 'BashExecRequest', example: { command: 'echo hello', session_id: 'build' } });

export const OutputBody = z
  .object({
    session_id: z.string(),
    command_id: z.string().optional().meta({ description: 'Unset: the newest of the session.' }),
    offset: offset().default(0),
    stderr_offset: offset().default(0),
    wait: z.boolean().default(false),
    wait_timeout: clamped(0, 60).default(30),
  })
  .meta({ id: 'BashOutputRequest', example: { session_id: 'build', offset: 0 } });

export const WriteBody = z
  .object({ session_id: z.string(), command_id: z.string().optional(), input: z.string() })
  .meta({ id: 'BashWriteRequest', example: { session_id: 'build', input: 'yes\n' } });

export const KillBodyV1 = z
  .object({ session_id: z.string(), command_id: z.string().optional(), signal: Signal })
  .meta({ id: 'BashKillRequest', example: { session_id: 'build', signal: 'SIGTERM' } });

export const CreateBody = z
  .object({
    session_id: OptionalSessionId,
    exec_dir: Text.optional(),
    snapshot_path: Text.transform((path) => path || undefined)
      .optional()
      .meta({ description: "A shell script: its variables and functions are there for the session's commands." }),
  })
  .meta({ id: 'BashSessionCreateRequest', example: { session_id: 'build', exec_dir: '/tmp' } });

const Status = z.enum(['pending', 'running', 'completed', 'timed_out', 'killed']);

export const ExecResult = z
  .object({
    session_id: z.string(),
    command_id: z.string(),
    command: z.string(),
    status: Status,
    stdout: z.string().nullable(),
    stderr: z.string().nullable(),
    exit_code: z.int().nullable(),
    offset: z.int(),
    stderr_offset: z.int(),
  })
  .meta({ id: 'BashExecResult' });

const CommandInfoV1 = z.object({
  command_id: z.string(),
  command: z.string(),
  status: Status,
  exit_code: z.int().nullable(),
});

export const OutputResult = z
  .object({
    session_id: z.string(),
    stdout: z.string(),
    stderr: z.string(),
    offset: z.int(),
    stderr_offset: z.int(),
    command: CommandInfoV1.nullable(),
  })
  .meta({ id: 'BashOutputResult' });

export const SessionInfoV1 = Session.meta({ id: 'BashSessionInfo' });

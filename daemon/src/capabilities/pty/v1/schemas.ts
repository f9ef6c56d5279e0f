import { z } from 'zod';
import { CommandText, SessionId, Text } from '../../../http/fields.ts';
import { ExecResult, Stats, Status } from '../wire/schemas.ts';

/** 1.x had no bounds for seconds, so a value outside the bounds of v2 is clamped. */
const seconds = () => z.number().transform((value) => Math.min(10 * 365 * 86_400, Math.max(0.001, value)));

const PreserveSymlinks = z
  .boolean()
  .default(false)
  .meta({ description: 'true: pwd shows exec_dir as it was given; false: without symlinks.' });

export const ExecBodyV1 = z
  .object({
    id: SessionId.optional().meta({ description: 'Unset: a new session.' }),
    exec_dir: Text.optional().meta({ description: 'Absolute; the shell goes there first.' }),
    command: CommandText,
    async_mode: z.boolean().default(false),
    timeout: z
      .number()
      .transform((value) => Math.max(0, value))
      .optional(),
    strict: z.boolean().default(false).meta({
      description:
        'true: an exec_dir that does not exist is refused; false: the command runs in the current directory of the shell.',
    }),
    no_change_timeout: seconds().optional(),
    hard_timeout: seconds().optional(),
    preserve_symlinks: PreserveSymlinks,
    truncate: z.boolean().default(true),
  })
  .meta({ id: 'ShellExecRequest', example: { command: 'echo hello' } });

export const IdBody = z.object({ id: z.string() }).meta({ id: 'ShellSessionRequest', example: { id: 'work' } });

export const WaitBody = z
  .object({
    id: z.string(),
    seconds: z.number().optional(),
    max_wait_seconds: z.number().optional(),
  })
  .meta({ id: 'ShellWaitRequest', example: { id: 'work', seconds: 1 } });

export const WriteBody = z
  .object({ id: z.string(), input: z.string(), press_enter: z.boolean().default(false) })
  .meta({ id: 'ShellWriteToProcessRequest', example: { id: 'work', input: 'echo hello', press_enter: true } });

export const CreateBodyV1 = z
  .object({
    id: Text.max(128).optional().meta({ description: 'Of an existing session: that one; empty: a new one.' }),
    exec_dir: Text.optional(),
    no_change_timeout: seconds().optional(),
    preserve_symlinks: PreserveSymlinks,
  })
  .meta({ id: 'ShellCreateSessionRequest', example: { id: 'work', exec_dir: '/tmp' } });

export const UpdateBody = z
  .object({ id: z.string(), no_change_timeout: seconds().optional() })
  .meta({ id: 'ShellUpdateSessionRequest', example: { id: 'work', no_change_timeout: 30 } });

/** 1.x tells these in its message. */
const Basics = ExecResult.omit({ signal: true, oom_killed: true, oom_process: true });

export const ExecResultV1 = Basics.meta({ id: 'ShellCommandResult' });

export const ViewResult = Basics.omit({ command: true, output: true })
  .extend({ output: z.string(), command: z.string().nullable() })
  .meta({ id: 'ShellViewResult' });

export const StatusV1 = Status.meta({ id: 'ShellStatus' });

export const KillResult = Status.extend({ exit_code: z.int().nullable(), returncode: z.int().nullable() }).meta({
  id: 'ShellKillResult',
});

export const SessionInfoV1 = z
  .object({
    working_dir: z.string(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime(),
    age_seconds: z.int(),
    status: z.string(),
    current_command: z.string().nullable(),
  })
  .meta({ id: 'ShellSessionInfo' });

export const StatsV1 = Stats.meta({ id: 'ShellSessionStats' });

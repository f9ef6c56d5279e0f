import { queryNumber } from '@sandbox/api/http/fields/query-number.ts';
import { z } from 'zod';
import {
  AbsolutePath,
  Account,
  CommandText,
  QueryFlag,
  SessionId,
  StringMap,
  Text,
  WorkingDirectory,
} from '../../../http/fields.ts';
import { signalField } from '../../../http/signal-field.ts';
import { COMMAND_STATUSES } from '../run/command.ts';

/** Seconds. Timeouts up to ten years. */
const SECONDS_MAX = 10 * 365 * 86_400;

export const Signal = signalField('SIGTERM');

const SHELLS = 'expected auto, bash, sh, none, or the absolute path of a shell';

export const RunBody = z
  .object({
    command: CommandText.meta({ description: 'The script for the shell, or the program with shell "none".' }),
    args: z.array(Text).optional().meta({ description: 'Arguments; only with shell "none".' }),
    shell: z
      .union([z.enum(['auto', 'bash', 'sh', 'none']), AbsolutePath.regex(/^\//, SHELLS)], {
        error: SHELLS,
      })
      .default('auto')
      .meta({ description: 'auto: bash, else sh.' }),
    cwd: WorkingDirectory.optional().meta({
      description:
        'Absolute, or as in a shell: `~`, `~user`, or relative to the directory of the session, else to the home. ' +
        "Default: the session's, else the home of the account.",
    }),
    env: StringMap.optional().meta({ description: 'Merged into the environment of the session, if any.' }),
    session: SessionId.optional(),
    session_id: SessionId.optional().meta({ description: 'The same as session, under its 1.x name.' }),
    user: Account.optional().meta({ description: 'The account to run as.' }),
    mode: z.enum(['sync', 'async']).default('sync'),
    timeout: z
      .number()
      .min(0)
      .max(SECONDS_MAX)
      .default(30)
      .meta({ description: 'Seconds that a sync call waits; the command continues.' }),
    hard_timeout: z
      .number()
      .positive()
      .max(SECONDS_MAX)
      .optional()
      .meta({ description: 'Seconds after which all processes of the command are ended.' }),
    max_output_length: z
      .int()
      .min(0)
      .default(50_000)
      .meta({ description: 'Bytes of each stream in this answer; 0: no limit but 8 MiB.' }),
    stdin: z.string().optional().meta({ description: 'Written to stdin, which is then closed.' }),
    idempotency_key: Text.min(1)
      .max(128)
      .optional()
      .meta({ description: 'For 10 minutes a call with the same key answers the same command.' }),
  })
  .meta({ id: 'RunCommand', example: { command: 'echo hello' } });

export const CommandStatus = z.enum(COMMAND_STATUSES).meta({ id: 'CommandStatus' });

const Usage = z
  .object({
    cpu_user_ms: z.number(),
    cpu_system_ms: z.number(),
    max_rss_bytes: z.int(),
    oom_killed: z.boolean().nullable().meta({
      description: 'The memory limit killed the command or a process that it started; null: the system does not tell.',
    }),
    oom_process: z
      .string()
      .nullable()
      .meta({ description: 'The program that was killed last, as ps names it; null: none, or it is not known.' }),
  })
  .meta({ id: 'CommandUsage' });

export const CommandInfo = z
  .object({
    command_id: z.string(),
    session_id: z.string().nullable(),
    command: z.string().meta({ description: 'Its first 65,536 characters; in a list its first 1,024.' }),
    status: CommandStatus,
    exit_code: z.int().nullable().meta({ description: '-1 if a signal ended it.' }),
    signal: z.string().nullable(),
    pid: z.int().nullable(),
    background: z
      .boolean()
      .meta({ description: 'A process that it started still held its output 250 ms after its end.' }),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    ended_by: z
      .enum(['memory_guard'])
      .nullable()
      .meta({ description: 'The memory guard (SVC_MEMORY_GUARD) ended it; null: it did not.' }),
    usage: Usage.nullable(),
    stdin_bytes: z.int().meta({ description: 'Bytes of stdin that were taken.' }),
    stdin_dropped: z.int().meta({ description: 'Bytes among them that the command closed its stdin or ended before.' }),
    key: z.string().nullable().meta({ description: 'The name of the key that started it; null: it has none.' }),
  })
  .meta({ id: 'Command' });

export const CommandResult = CommandInfo.extend({
  stdout: z.string(),
  stderr: z.string(),
  output: z.string().meta({ description: 'Both streams, in the order in which they arrived.' }),
  offset: z.int().meta({ description: 'End of stdout when it was read: a later read from here on misses nothing.' }),
  stderr_offset: z.int(),
  truncated: z.boolean().meta({ description: 'Bytes are missing from stdout or stderr.' }),
}).meta({ id: 'CommandResult' });

export const OutputQuery = z.object({
  offset: queryNumber(z.int().min(0)).prefault(0),
  stderr_offset: queryNumber(z.int().min(0)).prefault(0),
  limit: queryNumber(z.int().min(0)).optional().meta({ description: 'Bytes of each stream.' }),
  wait: QueryFlag.default(false).meta({
    description: 'Answer at the first byte past either offset, or at the end of the command.',
  }),
  wait_timeout: queryNumber(z.number().min(0).max(60)).prefault(30),
  encoding: z.enum(['utf-8', 'base64']).default('utf-8'),
  stream: QueryFlag.default(false).meta({ description: 'The same as Accept: application/x-ndjson.' }),
  channel: z
    .enum(['stdout', 'stderr'])
    .default('stdout')
    .meta({ description: 'With Accept: application/octet-stream.' }),
});

export const AttachQuery = z.object({
  write: QueryFlag.default(false).meta({
    description: 'The client writes to stdin. Only one may; another one is refused with 409.',
  }),
  stdout: queryNumber(z.int().min(0)).prefault(0).meta({ description: 'The offset from which stdout is sent.' }),
  stderr: queryNumber(z.int().min(0)).prefault(0).meta({ description: 'The offset from which stderr is sent.' }),
});

export const CommandOutput = z
  .object({
    stdout: z.string(),
    stderr: z.string(),
    offset: z.int().meta({ description: 'Offset of the next read.' }),
    stderr_offset: z.int(),
    first_offset: z.int().meta({
      description: 'Offset of the oldest byte that is still kept; past the requested offset where bytes were dropped.',
    }),
    first_stderr_offset: z.int(),
    command: CommandInfo,
  })
  .meta({ id: 'CommandOutput' });

export const StdinBody = z
  .object({
    input: z.string().default(''),
    encoding: z.enum(['utf-8', 'base64']).default('utf-8'),
    eof: z.boolean().optional().meta({ description: 'Close stdin after the input, if all of it was taken.' }),
    offset: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Of the first byte in all of stdin: what was taken before is skipped, a gap is 409.' }),
  })
  .meta({ id: 'WriteCommandStdin', example: { input: 'hello\n', eof: true } });

export const Killed = z
  .object({ command_id: z.string(), signal: z.string(), processes: z.int(), status: CommandStatus })
  .meta({ id: 'CommandKilled' });

export const SessionBody = z
  .object({
    id: SessionId.optional(),
    session_id: SessionId.optional().meta({ description: 'The same as id, under its 1.x name.' }),
    cwd: WorkingDirectory.optional(),
    env: StringMap.optional(),
    user: Account.optional(),
  })
  .meta({ id: 'CreateCommandSession', example: { id: 'build', cwd: '/tmp', env: { CI: 'true' } } });

export const Session = z
  .object({
    session_id: z.string(),
    status: z.enum(['ready', 'closed']),
    working_dir: z.string(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime(),
    current_command: z.string().nullable(),
    command_count: z.int(),
  })
  .meta({ id: 'CommandSession' });

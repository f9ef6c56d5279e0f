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
import { EXEC_STATUSES } from '../exec/exec-status.ts';
import { MAX_SIZE } from '../viewer/viewer-messages.ts';

/** Ten years, in seconds. */
const SECONDS_MAX = 10 * 365 * 86_400;
const MIB = 1024 ** 2;

const extent = () => z.int().min(1).max(MAX_SIZE);
const ExecStatus = z.enum(EXEC_STATUSES).meta({ id: 'TerminalExecStatus' });
const seconds = () => z.number().positive().max(SECONDS_MAX);

export const CreateBody = z
  .object({
    id: SessionId.optional().meta({ description: 'A session with a chosen id is never evicted.' }),
    session_id: SessionId.optional().meta({ description: 'The same as id, under its 1.x name.' }),
    cwd: WorkingDirectory.optional(),
    cols: extent().default(80),
    rows: extent().default(24),
    env: StringMap.optional(),
    user: Account.optional().meta({ description: 'The account to run as.' }),
    retention: z
      .enum(['persistent', 'expiring'])
      .optional()
      .meta({ description: 'expiring: ended when idle for long; the default if no id is given.' }),
    no_change_timeout: seconds().optional().meta({ description: 'Default of exec, in seconds; unset: none.' }),
    command: Text.min(1).optional().meta({ description: "A program instead of the account's shell." }),
    args: z.array(Text).optional(),
  })
  .meta({ id: 'CreateTerminal', example: { id: 'work', cols: 120, rows: 40 } });

export const Created = z.object({ session_id: z.string(), working_dir: z.string() }).meta({ id: 'TerminalCreated' });

/** How a shell, or a command of it, ended besides its exit code. */
const END_FIELDS = {
  signal: z.string().nullable().meta({ description: 'The signal that ended the shell.' }),
  oom_killed: z
    .boolean()
    .nullable()
    .meta({ description: 'true: the memory limit killed the shell, or a process that it had started.' }),
  oom_process: z.string().nullable().meta({ description: 'The program that was killed last, if known.' }),
};

export const SessionInfo = z
  .object({
    session_id: z.string(),
    working_dir: z.string().meta({ description: 'Where the shell is now.' }),
    cols: z.int(),
    rows: z.int(),
    pid: z.int().nullable(),
    status: z.enum(['active', 'idle', 'exited', 'lost']).meta({ id: 'TerminalState' }),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime(),
    attached: z.int().meta({ description: 'How many viewers there are.' }),
    exit_code: z.int().nullable(),
    ...END_FIELDS,
    offset: z.int().meta({ description: 'End of its output at this moment.' }),
    first_offset: z.int().meta({ description: 'The oldest byte that is kept.' }),
    current_command: z.string().nullable(),
  })
  .meta({ id: 'Terminal' });

export const Stats = z
  .object({
    total_sessions: z.int(),
    active_sessions: z.int(),
    idle_sessions: z.int(),
    max_sessions: z.int(),
    session_timeout: z.int(),
    usage_ratio: z.number(),
  })
  .meta({ id: 'TerminalStats' });

export const PatchBody = z
  .object({
    cols: extent().optional(),
    rows: extent().optional(),
    no_change_timeout: seconds().optional(),
  })
  .meta({ id: 'ChangeTerminal', example: { cols: 120, rows: 40 } });

export const ExecBody = z
  .object({
    command: CommandText,
    async: z.boolean().default(false).meta({ description: 'Answer as soon as it is typed.' }),
    timeout: z.number().min(0).max(SECONDS_MAX).optional().meta({
      description: 'Seconds that the call waits; the command continues. Unset: until the end.',
    }),
    hard_timeout: seconds().optional().meta({ description: 'Seconds after which the command is ended.' }),
    no_change_timeout: seconds().optional().meta({ description: 'Seconds without output that the call waits.' }),
  })
  .meta({ id: 'ExecInTerminal', example: { command: 'echo hello' } });

const Console = z.object({ ps1: z.string(), command: z.string(), output: z.string() }).meta({ id: 'TerminalConsole' });

export const ExecResult = z
  .object({
    session_id: z.string(),
    command: z.string(),
    status: ExecStatus,
    output: z.string().nullable(),
    console: z.array(Console).nullable(),
    exit_code: z.int().nullable().meta({ description: '-1 if a signal ended the shell.' }),
    ...END_FIELDS,
  })
  .meta({ id: 'TerminalExecResult' });

export const InputBody = z
  .object({
    input: z.string(),
    encoding: z.enum(['utf-8', 'base64']).default('utf-8'),
    press_enter: z.boolean().default(false),
  })
  .meta({ id: 'TypeIntoTerminal', example: { input: 'echo hello', press_enter: true } });

export const Status = z.object({ status: ExecStatus }).meta({ id: 'TerminalStatus' });

export const SignalBody = z
  .object({
    signal: signalField('SIGINT'),
  })
  .meta({ id: 'SignalTerminal', example: { signal: 'SIGINT' } });

export const Signalled = z
  .object({ session_id: z.string(), signal: z.string(), delivered: z.boolean() })
  .meta({ id: 'TerminalSignalled' });

export const ScreenQuery = z.object({
  wait: queryNumber(z.number().min(0).max(60)).prefault(0).meta({
    description: 'Seconds to wait for output that is newer than this call.',
  }),
  format: z.enum(['text', 'ansi', 'html']).default('text'),
});

export const ScreenContent = z
  .object({
    output: z.string(),
    cols: z.int(),
    rows: z.int(),
    cursor: z.object({ x: z.int(), y: z.int() }),
    title: z.string(),
    alternate_screen: z.boolean(),
    offset: z.int().meta({ description: 'End of the output that is on this screen.' }),
  })
  .meta({ id: 'TerminalScreen' });

const wholeNumber = (min: number, max: number) => queryNumber(z.int().min(min).max(max));

export const AttachQuery = z.object({
  protocol: z.enum(['json', 'binary']).default('json'),
  durable: QueryFlag.default(false).meta({
    description: 'The session stays when the socket goes; one with an id always does.',
  }),
  restore: QueryFlag.default(false).meta({ description: 'Begin with what draws the screen as it is now.' }),
  replay_bytes: wholeNumber(256 * 1024, 10 * MIB)
    .optional()
    .meta({ description: 'Begin with so much of the history.' }),
  since: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'Go on from this offset.' }),
  readonly: QueryFlag.default(false),
});

export const AnonymousQuery = AttachQuery.extend({
  session_id: SessionId.optional(),
  id: SessionId.optional(),
  cols: wholeNumber(1, MAX_SIZE).optional(),
  rows: wholeNumber(1, MAX_SIZE).optional(),
  cwd: AbsolutePath.optional(),
  user: Account.optional(),
});

/** The query of an anonymous shell on `/v2`. */
export const AnonymousQueryV2 = AnonymousQuery.extend({ cwd: WorkingDirectory.optional() });

import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { normalizeSignal } from '../../../core/process/signals.ts';
import { type DeclaredTool, defineTool } from '../../../core/tools/tool.ts';
import type { CommandService } from '../command-service.ts';
import { COMMAND_STATUSES, type CommandStatus } from '../run/command.ts';
import { stdinHint } from '../run/command-stdin.ts';

/** Bytes of each stream in one answer. */
const LIMIT = 30_000;
const LIMIT_MAX = 2 * 1024 ** 2;
/** Seconds that one call may wait. */
const TIMEOUT = 30;
const TIMEOUT_MAX = 3600;
const RESULTS = 20;
const RESULTS_MAX = 200;
/** Characters of a command's text in a list. */
const LISTED_MAX = 200;

const NO_STDIN =
  'a command takes input while it runs, if sandbox_execute_bash started it with open_stdin true, until eof';

const ENDED = 'it takes no more input; action output has what it wrote';

const TOOL = {
  name: 'sandbox_command',
  order: 11,
  isExtra: true,
  title: 'Continue with a command',
  description: `Works with commands that were started before, also those of sandbox_execute_bash that run on past its
timeout. list names them, newest first; output reads both streams from offsets on; wait does so after the end of the
command, or after timeout seconds; input writes to its stdin; kill signals all of its processes.
Each answer of output and wait has the offsets of the next one.
Example: {"action": "wait", "command_id": "7d0e3c2a-5b1f-4c8e-9a55-0f6d2b9c1e47", "offset": 0, "timeout": 60}`,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
} as const;

const command_id = z.string().meta({ description: 'All but list: as sandbox_execute_bash or list names it.' });
const Offset = z.int().min(0);
const Reading = z.object({
  command_id,
  offset: Offset.default(0).meta({ description: 'output, wait: where to begin in stdout.' }),
  stderr_offset: Offset.default(0).meta({ description: 'output, wait: where to begin in stderr.' }),
  limit: z
    .int()
    .min(16)
    .max(LIMIT_MAX)
    .default(LIMIT)
    .meta({ description: 'output, wait: at most that many bytes of each stream.' }),
  timeout: z
    .number()
    .min(0)
    .max(TIMEOUT_MAX)
    .optional()
    .meta({
      description: `Seconds. wait: for the end, default ${TIMEOUT}; output: for the next byte, default 0.`,
    }),
});
type Request = z.infer<typeof Reading>;

const list = defineTool({
  ...TOOL,
  actions: ['list'],
  schema: z.object({
    status: z.enum(COMMAND_STATUSES).optional().meta({ description: 'list: only commands of that status.' }),
    max_results: z.int().min(1).max(RESULTS_MAX).default(RESULTS).meta({ description: 'list: at most that many.' }),
    before: z.string().optional().meta({ description: 'list: the last command_id of the page before.' }),
  }),
  handler: async (service: CommandService, { status, max_results, before }) => {
    const found = service.list({ status, before, limit: max_results + 1 });
    const commands = found.slice(0, max_results).map((record) => ({
      command_id: record.id,
      command: record.command.slice(0, LISTED_MAX),
      status: record.status,
      exit_code: record.exitCode,
      started_at: record.startedAt,
      ended_at: record.endedAt,
    }));
    const hint = `there are more: call list with before ${commands.at(-1)?.command_id}`;
    return { commands, ...(found.length > max_results && { hint }) };
  },
});

const output = defineTool({
  ...TOOL,
  actions: ['output'],
  schema: Reading,
  handler: async (service: CommandService, args, context) => {
    const { gone } = context;
    if (!args.timeout) return await read(service, args, 0, gone);
    using _reports = service.report(args.command_id, offsetsOf(args), context);
    return await read(service, args, args.timeout, gone);
  },
});

const wait = defineTool({
  ...TOOL,
  actions: ['wait'],
  schema: Reading,
  handler: async (service: CommandService, args, context) => {
    const { gone } = context;
    {
      using _reports = service.report(args.command_id, offsetsOf(args), context);
      await service.waitForEnd(args.command_id, (args.timeout ?? TIMEOUT) * 1000, gone);
    }
    return await read(service, args, 0, gone);
  },
});

function offsetsOf({ offset, stderr_offset }: Request) {
  return { stdout: offset, stderr: stderr_offset };
}

async function read(service: CommandService, args: Request, seconds: number, gone: AbortSignal) {
  const { command_id: id, offset, stderr_offset, limit } = args;
  const request = { from: offsetsOf(args), limit, asText: true, waitMs: seconds * 1000 };
  const { record, stdout, stderr } = await service.read(id, request, gone);
  const dropped = Math.max(stdout.first - offset, 0) + Math.max(stderr.first - stderr_offset, 0);
  const isFull = stdout.bytes.length > limit - 4 || stderr.bytes.length > limit - 4;
  const hint = readHint(record.status, isFull);
  return {
    command_id: id,
    status: record.status,
    exit_code: record.exitCode,
    signal: record.signal,
    stdout: stdout.bytes.toString(),
    stderr: stderr.bytes.toString(),
    offset: stdout.next,
    stderr_offset: stderr.next,
    ...(dropped > 0 && { dropped_bytes: dropped }),
    ...(record.message !== null && { message: record.message }),
    ...(hint !== undefined && { hint }),
  };
}

function readHint(status: CommandStatus, isFull: boolean): string | undefined {
  const next = 'call it again with offset and stderr_offset of this answer';
  if (isFull) return `there may be more output: ${next}`;
  return isOver(status) ? undefined : `the command runs on: ${next}`;
}

function isOver(status: CommandStatus): boolean {
  return status !== 'running' && status !== 'pending';
}

const input = defineTool({
  ...TOOL,
  actions: ['input'],
  schema: z.object({
    command_id,
    input: z.string().default('').meta({ description: 'input: the text; end a line with \\n.' }),
    eof: z.boolean().default(false).meta({ description: 'input: close stdin after it.' }),
  }),
  handler: async (service: CommandService, args) => {
    const { command_id: id, eof } = args;
    if (args.input === '' && !eof) {
      throw new SandboxError('invalid', 'is required', { field: 'input', hint: 'eof true alone closes stdin' });
    }
    const bytes = Buffer.from(args.input);
    const written = await offered(service, id, bytes, eof);
    const hint = stdinHint(written, bytes.length);
    const answer = { command_id: id, bytes_written: written.bytes, stdin_bytes: written.total, eof: written.eof };
    return { ...answer, ...(hint !== null && { hint }) };
  },
});

async function offered(service: CommandService, id: string, bytes: Buffer, eof: boolean) {
  try {
    return await service.offerStdin(id, bytes, { eof });
  } catch (error) {
    if (!(error instanceof SandboxError) || error.kind !== 'conflict' || error.details.hint !== undefined) throw error;
    const record = service.find(id);
    const hint = record === undefined || isOver(record.status) ? ENDED : NO_STDIN;
    throw new SandboxError('conflict', error.message, { ...error.details, hint });
  }
}

const kill = defineTool({
  ...TOOL,
  actions: ['kill'],
  schema: z.object({
    command_id,
    signal: z
      .union([z.string(), z.int()])
      .default('SIGTERM')
      .meta({ description: 'kill: name or number, such as INT, SIGKILL or 9.' }),
  }),
  handler: async (service: CommandService, { command_id: id, signal: given }) => {
    const text = String(given);
    const signal = normalizeSignal(/^\d{1,3}$/.test(text) ? Number(text) : text);
    if (signal === undefined) {
      const hint = 'name one such as SIGINT, SIGTERM or SIGKILL';
      throw new SandboxError('invalid', `is an unknown signal: ${text.slice(0, 100)}`, { field: 'signal', hint });
    }
    const { processes, status } = await service.kill(id, signal);
    const hint = 'action wait has its end; if it does not end, kill it with SIGKILL';
    return { command_id: id, signal, processes, status, ...(!isOver(status) && { hint }) };
  },
});

/** One tool, in a part for each of its actions. */
export const commandTool: readonly DeclaredTool<CommandService>[] = [list, output, wait, input, kill];

import { z } from 'zod';
import { installHint } from '../../core/environment/refused-install.ts';
import { killedNote, killedOf } from '../../core/process/memory-kill.ts';
import { defineTool } from '../../core/tools/tool.ts';
import { ToolAnswer } from '../../core/tools/tool-answer.ts';
import type { CommandService } from './command-service.ts';
import { COMMAND_STATUSES } from './run/command.ts';
import type { ShellResult } from './shell/shared-shell.ts';
import { commandTool } from './wire/command-tool.ts';

/** Bytes of each stream in a result. */
const SHORT_BYTES = 30_000;
const LONG_BYTES = 2 * 1024 ** 2;
/** Seconds that one call may wait. */
const TIMEOUT_MAX = 3600;
/** Seconds that a command may have: ten years. */
const HARD_MAX = 10 * 365 * 86_400;

const executeBash = defineTool({
  name: 'sandbox_execute_bash',
  order: 1,
  title: 'Run a shell command',
  description: `Runs a command in bash and returns its output, exit code and the directory in which it ended.
Each call begins in the directory where the one before ended; exported variables last for one call. To read or edit
files use the file tools. A command that needs more time than timeout keeps running: sandbox_command reads, feeds and
ends it, if it is listed.
Example: {"cmd": "npm test 2>&1 | tail", "cwd": "~/project", "timeout": 120}`,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  schema: z.object({
    cmd: z.string().meta({ description: 'As typed into bash; may have several lines.' }),
    cwd: z.string().optional().meta({ description: 'Default: where the last call ended.' }),
    new_session: z.boolean().default(false).meta({
      description: 'Begin in the home; the shared directory stays.',
    }),
    timeout: z.number().min(0).max(TIMEOUT_MAX).default(30).meta({
      description: 'Seconds to wait; they do not end the command.',
    }),
    hard_timeout: z.number().positive().max(HARD_MAX).optional().meta({
      description: 'Seconds after which the command and its children are ended.',
    }),
    open_stdin: z.boolean().default(false).meta({
      description: 'For input by sandbox_command.',
    }),
    preserve_symlinks: z.boolean().default(false).meta({
      description: 'Report cwd with its links.',
    }),
    truncate: z
      .boolean()
      .default(true)
      .meta({
        description: `Cut the middle of output over ${SHORT_BYTES} bytes.`,
      }),
  }),
  outputSchema: z.object({
    status: z.enum(COMMAND_STATUSES),
    output: z.string(),
    exit_code: z.int().nullable(),
    cwd: z.string(),
    command_id: z.string(),
    hint: z.string().optional(),
  }),
  handler: async (service: CommandService, args, { gone, cancelled, progress }) => {
    const call = {
      command: args.cmd,
      cwd: args.cwd,
      isolated: args.new_session,
      timeout: args.timeout,
      hardTimeout: args.hard_timeout,
      openStdin: args.open_stdin,
      keepLinks: args.preserve_symlinks,
      excerptBytes: args.truncate ? SHORT_BYTES : LONG_BYTES,
    };
    const result = await service.shell.run(call, gone, progress);
    const { status, output, exitCode, cwd, commandId, truncated } = result;
    const isRunning = status === 'running' || status === 'pending';
    if (isRunning && cancelled?.aborted) await service.kill(commandId, 'SIGTERM');
    const short = truncated ? shortHint(args.truncate) : undefined;
    const hint = isRunning ? continueHint(result) : (short ?? installHint(output) ?? undefined);
    return new ToolAnswer({
      data: {
        status,
        output: output + endNotes(result),
        exit_code: exitCode,
        cwd,
        command_id: commandId,
        ...(hint !== undefined && { hint }),
      },
    });
  },
});

/** How the command ended, if its exit code does not show it. */
function endNotes({ output, message, signal, usage }: ShellResult): string {
  const ended = signal === null ? undefined : `the command was ended by ${signal}`;
  const notes = [ended, killedNote(killedOf(usage))].filter((note) => note !== undefined).map((note) => `[${note}]`);
  const lines = [...(message === null ? [] : [message]), ...notes].map((line) => `${line}\n`).join('');
  return lines === '' || output === '' || output.endsWith('\n') ? lines : `\n${lines}`;
}

function continueHint({ commandId, pid }: ShellResult): string {
  const call = `sandbox_command {"action": "wait", "command_id": "${commandId}"}`;
  const calls = `${call} has its output and its end; the actions output, input and kill read, feed and end it`;
  const ends = pid === null ? '' : `; where that tool is not listed, "kill -- -${pid}" ends it`;
  return `the command keeps running: ${calls}${ends}`;
}

function shortHint(couldBeLonger: boolean): string {
  const more = couldBeLonger ? 'set truncate to false, or ' : '';
  return `the middle of the output is left out: ${more}redirect it to a file and read a part of that`;
}

export const commandTools = [executeBash, ...commandTool];

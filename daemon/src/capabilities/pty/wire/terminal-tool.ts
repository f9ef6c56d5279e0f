import { z } from 'zod';
import { installHint } from '../../../core/environment/refused-install.ts';
import { type NewOutput, REPORT_BYTES, reportOutput } from '../../../core/tools/output-progress.ts';
import { type DeclaredTool, defineTool } from '../../../core/tools/tool.ts';
import { SessionId } from '../../../http/fields.ts';
import { plainText } from '../exec/plain-text.ts';
import type { PtyService } from '../pty-service.ts';
import type { PtySession } from '../session/session.ts';
import { MAX_SIZE } from '../viewer/viewer-messages.ts';
import { execAnswer, execMessage, sessionInfo } from './wire.ts';

/** Seconds that one call may wait. */
const TIMEOUT = 30;
const TIMEOUT_MAX = 3600;
const HARD_MAX = 10 * 365 * 86_400;

const TOOL = {
  name: 'sandbox_terminal',
  order: 13,
  isExtra: true,
  title: 'Use a terminal',
  description: `Works with terminals, whose shells keep directory, variables and running programs; for editors, REPLs,
password prompts and full-screen programs. open: a new one. exec: types command into its shell and waits for the end.
input: types into what runs, such as y\\n, or \\u0003 for Ctrl-C. screen: what is on it now, or after new output within
timeout seconds. list, close.
Example: {"action": "exec", "session_id": "work", "command": "python3 -i", "timeout": 5}`,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
} as const;

const session_id = z.string().meta({ description: 'All but list; open: one that you choose.' });
const extent = z.int().min(1).max(MAX_SIZE).optional();
const seconds = z.number().min(0).max(TIMEOUT_MAX);

const open = defineTool({
  ...TOOL,
  actions: ['open'],
  schema: z.object({
    session_id: SessionId.optional(),
    cwd: z.string().optional().meta({ description: 'open.' }),
    cols: extent,
    rows: extent,
  }),
  handler: async (service: PtyService, { session_id: id, ...terms }) => {
    const session = await service.sessions.create({ ...terms, cwd: service.sessions.resolve(terms), id });
    return { session_id: session.id, working_dir: session.record.workingDir };
  },
});

const exec = defineTool({
  ...TOOL,
  actions: ['exec'],
  schema: z.object({
    session_id,
    command: z.string().min(1).optional().meta({ description: 'exec.' }),
    timeout: seconds.optional().meta({ description: `exec: seconds to wait, default ${TIMEOUT}; screen: default 0.` }),
    hard_timeout: z
      .number()
      .positive()
      .max(HARD_MAX)
      .optional()
      .meta({ description: 'exec: then the command is ended.' }),
  }),
  handler: async (service: PtyService, args, { gone, progress }) => {
    const session = service.sessions.get(args.session_id);
    const command = z.object({ command: z.string({ error: 'is required' }) }).parse(args).command;
    using _reports = reportOutput({ gone, progress }, newOutputOf(session));
    const { timeout = TIMEOUT, hard_timeout: hardTimeout } = args;
    const report = await service.exec(session, { command, async: false, timeout, hardTimeout }, gone);
    return execAnswer(report, (each) => {
      const hint = runsOn(each.status) ? goOn(session.id) : installHint(each.output);
      return {
        session_id: each.sessionId,
        status: each.status,
        exit_code: each.exitCode,
        output: each.output,
        message: execMessage(each),
        ...(hint !== null && { hint }),
      };
    });
  },
});

function runsOn(status: string): boolean {
  return status === 'running' || status === 'no_change_timeout';
}

function goOn(id: string): string {
  return `it runs on: action screen with session_id ${id} and timeout 10 shows it, input types into it, \\u0003 is Ctrl-C`;
}

/** What a terminal showed since the last look, without its control sequences. */
function newOutputOf({ history }: PtySession): (gone: AbortSignal) => Promise<NewOutput> {
  let at = history.end;
  return async (gone) => {
    await history.advanced(at, gone);
    const from = Math.max(at, history.end - REPORT_BYTES);
    const { offset, bytes, isOver } = await history.read(from, REPORT_BYTES);
    const skipped = Math.max(0, offset - at);
    at = offset + bytes.length;
    return { text: plainText(bytes.toString()), skipped, isOver };
  };
}

const input = defineTool({
  ...TOOL,
  actions: ['input'],
  schema: z.object({
    session_id,
    input: z.string().meta({ description: 'input.' }),
    press_enter: z.boolean().default(false).meta({ description: 'input.' }),
  }),
  handler: async (service: PtyService, { session_id: id, input: text, press_enter }, { gone }) => {
    const session = service.sessions.get(id);
    await service.write(session, Buffer.from(press_enter ? `${text}\r` : text), gone);
    return { session_id: id, status: session.execStatus, hint: 'action screen with timeout 5 shows what came of it' };
  },
});

const screen = defineTool({
  ...TOOL,
  actions: ['screen'],
  schema: z.object({ session_id, timeout: z.number().min(0).max(60).default(0) }),
  handler: async (service: PtyService, { session_id: id, timeout }, { gone }) => {
    const session = service.sessions.get(id);
    const { output, cols, rows, cursor, title, alternateScreen } = await service.screen(
      session,
      { seconds: timeout, format: 'text' },
      gone,
    );
    const look = { cols, rows, cursor, title, alternate_screen: alternateScreen };
    return { session_id: id, status: session.status, output, ...look, exit_code: session.record.exitCode };
  },
});

const list = defineTool({
  ...TOOL,
  actions: ['list'],
  schema: z.object({}),
  handler: async (service: PtyService) => ({ sessions: service.list().map(sessionInfo) }),
});

const close = defineTool({
  ...TOOL,
  actions: ['close'],
  schema: z.object({ session_id }),
  handler: async (service: PtyService, { session_id: id }) => {
    await service.sessions.close(service.sessions.get(id));
    return { session_id: id, closed: true };
  },
});

/** One tool, in a part for each of its actions. */
export const terminalTool: readonly DeclaredTool<PtyService>[] = [open, exec, input, screen, list, close];

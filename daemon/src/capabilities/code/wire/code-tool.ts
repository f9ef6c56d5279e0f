import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { type DeclaredTool, defineTool } from '../../../core/tools/tool.ts';
import { ToolAnswer } from '../../../core/tools/tool-answer.ts';
import { SessionId } from '../../../http/fields.ts';
import type { CodeService } from '../code-service.ts';
import { contentOf, fullName, runToolCell } from './run-tool-cell.ts';
import { codeSession } from './wire.ts';

const TIMEOUT = 30;
const TIMEOUT_MAX = 900;

const TOOL = {
  name: 'sandbox_code',
  order: 12,
  isExtra: true,
  title: 'Execute code in a session',
  description: `Runs cells of a notebook: variables and imports of a session_id last until it is closed or idle for long.
execute: text, and pictures as images; without session_id a new session, which the answer names. interrupt: as Ctrl-C.
restart: forgets its variables. list, close.
Example: {"action": "execute", "session_id": "analysis", "code": "x = 41", "language": "python"}`,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
} as const;

const session_id = z.string().meta({ description: 'Of execute: one that you choose.' });

const execute = defineTool({
  ...TOOL,
  actions: ['execute'],
  schema: z.object({
    session_id: SessionId.optional(),
    code: z.string().meta({ description: 'execute.' }),
    language: z.preprocess(fullName, z.string().min(1).max(128)).optional().meta({
      description: 'execute: python, javascript, typescript, bash, or a kernel; default: that of the session.',
    }),
    timeout: z.number().positive().max(TIMEOUT_MAX).default(TIMEOUT).meta({
      description: 'execute: seconds; then the cell is interrupted, and the session stays.',
    }),
    cwd: z.string().optional().meta({ description: 'execute: directory of a new session.' }),
    stdin: z.array(z.string()).max(1000).optional().meta({ description: 'execute: answers to input().' }),
  }),
  handler: async (service: CodeService, { session_id: id, timeout, cwd, ...args }, context) => {
    const known = id === undefined ? undefined : service.listSessions().find(({ sessionId }) => sessionId === id);
    const language = args.language ?? known?.language ?? 'python';
    const place = id === undefined ? { stateful: true } : { sessionId: id };
    const request = { ...args, ...place, language, cwd: service.resolve({ cwd }), timeoutSeconds: timeout };
    const report = await runToolCell(service, request, context);
    const { text, images } = contentOf(report);
    const hint = report.status === 'timeout' ? `[interrupted: timeout may be up to ${TIMEOUT_MAX} seconds]\n` : '';
    const end = text === '' || text.endsWith('\n') ? '' : '\n';
    const session = `[session_id: ${report.sessionId}, status: ${report.status}]`;
    return new ToolAnswer({ text: `${text}${end}${hint}${session}`, images, isError: report.status !== 'ok' });
  },
});

const interrupt = defineTool({
  ...TOOL,
  actions: ['interrupt'],
  schema: z.object({ session_id }),
  handler: async (service: CodeService, { session_id: id }) => ({
    session_id: id,
    interrupted: await service.sessions.interrupt(id),
  }),
});

const restart = defineTool({
  ...TOOL,
  actions: ['restart'],
  schema: z.object({ session_id }),
  handler: async (service: CodeService, { session_id: id }) => codeSession(await service.sessions.restart(id)),
});

const list = defineTool({
  ...TOOL,
  actions: ['list'],
  schema: z.object({}),
  handler: async (service: CodeService) => ({ sessions: service.listSessions().map(codeSession) }),
});

const close = defineTool({
  ...TOOL,
  actions: ['close'],
  schema: z.object({ session_id }),
  handler: async (service: CodeService, { session_id: id }) => {
    if (await service.deleteSession(id)) return { session_id: id, closed: true };
    throw new SandboxError('not_found', `no code session with id ${id}`, { hint: 'action list names them' });
  },
});

/** One tool, in a part for each of its actions. */
export const codeTool: readonly DeclaredTool<CodeService>[] = [execute, interrupt, restart, list, close];

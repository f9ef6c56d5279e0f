import { stripVTControlCharacters } from 'node:util';
import { onAbort } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { z } from 'zod';
import { defineTool } from '../../core/tools/tool.ts';
import { ToolAnswer, type ToolImage } from '../../core/tools/tool-answer.ts';
import type { CodeService } from './code-service.ts';
import type { CellReport } from './execution/cell-report.ts';
import type { Output } from './runtime/output.ts';

/** Seconds that a cell may run. */
const TIMEOUT = 30;
const TIMEOUT_MAX = 900;
/** What to do about code that did not end in its time. */
const LONGER = `set timeout to up to ${TIMEOUT_MAX} seconds, or start the program with sandbox_execute_bash: it keeps running after the timeout of its call`;
const IMAGES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
/** Names that models give to languages. */
const SHORT_NAMES: Readonly<Record<string, string>> = { py: 'python', node: 'javascript', js: 'javascript' };

function fullName(given: unknown): unknown {
  return typeof given === 'string' && Object.hasOwn(SHORT_NAMES, given) ? SHORT_NAMES[given] : given;
}

/** Runs code once and gives back what it produced: text, and images as image content. */
export const executeCode = defineTool({
  name: 'sandbox_execute_code',
  order: 2,
  title: 'Execute code',
  description: `Runs Python or JavaScript code in a fresh process and returns what it printed, the value of its last
expression, and pictures such as those of matplotlib. Variables do not last. To install packages or run programs use
sandbox_execute_bash.
Example: {"code": "rows = open('/etc/hosts').readlines()\\nlen(rows)"}`,
  schema: z.object({
    code: z.string(),
    language: z.preprocess(fullName, z.enum(['python', 'javascript'])).default('python'),
    timeout: z
      .number()
      .positive()
      .max(TIMEOUT_MAX)
      .default(TIMEOUT)
      .meta({ description: 'Seconds; then the code is interrupted.' }),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  handler: async (service: CodeService, { code, language, timeout }, { gone, cancelled }) => {
    const execution = await service.begin({ code, language, timeoutSeconds: timeout }, gone);
    const interrupt = (): void => void service.interruptExecution(execution.id).catch(ignore);
    using _interrupting = onAbort(cancelled, interrupt);
    await execution.ended;
    return answerOf(execution.report());
  },
});

function answerOf({ outputs, status, warnings }: CellReport): ToolAnswer {
  const text = [...outputs.map(textOf), ...warnings.map((warning) => `note: ${warning}\n`)].join('');
  const images = outputs.flatMap(imagesOf);
  const empty = images.length > 0 ? '' : status === 'ok' ? '(no output)' : status;
  const hint = status === 'timeout' ? `[${LONGER}]\n` : '';
  return new ToolAnswer({ text: (text || empty) + hint, images, isError: status !== 'ok' });
}

function textOf(output: Output): string {
  if (output.type === 'stream') return output.text;
  if (output.type === 'error') return `${stripVTControlCharacters(output.traceback.join('\n'))}\n`;
  if (imagesOf(output).length > 0) return '';
  const text = output.data['text/plain'] ?? output.data['text/markdown'] ?? output.data['text/html'];
  return typeof text === 'string' ? `${text}\n` : '';
}

function imagesOf(output: Output): ToolImage[] {
  if (!('data' in output)) return [];
  const { data } = output;
  const mimeType = IMAGES.find((type) => typeof data[type] === 'string');
  return mimeType === undefined ? [] : [{ mimeType, data: Buffer.from(String(data[mimeType]), 'base64') }];
}

import { z } from 'zod';
import { defineTool } from '../../core/tools/tool.ts';
import { ToolAnswer } from '../../core/tools/tool-answer.ts';
import type { CodeService } from './code-service.ts';
import { codeTool } from './wire/code-tool.ts';
import { contentOf, fullName, runToolCell } from './wire/run-tool-cell.ts';

/** Seconds that a cell may run. */
const TIMEOUT = 30;
const TIMEOUT_MAX = 900;
/** What to do about code that did not end in its time. */
const LONGER = `set timeout to up to ${TIMEOUT_MAX} seconds, or start the program with sandbox_execute_bash: it keeps running after the timeout of its call`;
/** Runs code once and gives back what it produced: text, and images as image content. */
const executeCode = defineTool({
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
  handler: async (service: CodeService, { code, language, timeout }, context) => {
    const report = await runToolCell(service, { code, language, timeoutSeconds: timeout }, context);
    const { text, images } = contentOf(report);
    const hint = report.status === 'timeout' ? `[${LONGER}]\n` : '';
    return new ToolAnswer({ text: text + hint, images, isError: report.status !== 'ok' });
  },
});

export const codeTools = [executeCode, ...codeTool];

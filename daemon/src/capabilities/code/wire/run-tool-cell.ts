import { stripVTControlCharacters } from 'node:util';
import { onAbort } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { type NewOutput, REPORT_BYTES, reportOutput } from '../../../core/tools/output-progress.ts';
import type { ToolContext } from '../../../core/tools/tool.ts';
import type { ToolImage } from '../../../core/tools/tool-answer.ts';
import type { CodeService } from '../code-service.ts';
import type { CellReport, CellRequest } from '../execution/cell-report.ts';
import type { Execution } from '../execution/execution.ts';
import type { Output } from '../runtime/output.ts';

/** Names that models give to languages. */
const SHORT_NAMES: Readonly<Record<string, string>> = { py: 'python', node: 'javascript', js: 'javascript' };
const IMAGES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
/** Outputs that one look at a cell takes. */
const LOOK_OUTPUTS = 1000;

/** The name of a language for one that a model gave; anything else as it is. */
export function fullName(given: unknown): unknown {
  return typeof given === 'string' && Object.hasOwn(SHORT_NAMES, given) ? SHORT_NAMES[given] : given;
}

/** Runs a cell to its end and reports its output to the client; a client that cancels interrupts it. */
export async function runToolCell(
  service: CodeService,
  request: CellRequest,
  { gone, cancelled, progress }: ToolContext,
): Promise<CellReport> {
  const execution = await service.begin(request, gone);
  using _interrupting = onAbort(cancelled, () => void service.interruptExecution(execution.id).catch(ignore));
  using _reports = reportOutput({ gone, progress }, newOutputOf(execution));
  await execution.ended;
  return execution.report();
}

function newOutputOf(execution: Execution): (gone: AbortSignal) => Promise<NewOutput> {
  let next = 0;
  return async (signal) => {
    await execution.moreThan(next, { signal });
    const entries = execution.from(next, LOOK_OUTPUTS);
    next = entries.at(-1)?.seq ?? next;
    const text = entries.map((entry) => ('type' in entry && entry.type === 'stream' ? entry.text : '')).join('');
    const skipped = Math.max(0, text.length - REPORT_BYTES);
    return { text: text.slice(skipped), skipped, isOver: !execution.isRunning && entries.length === 0 };
  };
}

/** What a cell printed and showed, as text and pictures. */
export function contentOf({ outputs, status, warnings }: CellReport): { text: string; images: ToolImage[] } {
  const text = [...outputs.map(textOf), ...warnings.map((warning) => `note: ${warning}\n`)].join('');
  const images = outputs.flatMap(imagesOf);
  const empty = images.length > 0 ? '' : status === 'ok' ? '(no output)' : status;
  return { text: text || empty, images };
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

import { once } from 'node:events';
import type { CellOutput, RunningCell } from '../../../core/ports/code-port.ts';
import type { E2bCall } from '../call.ts';
import { JSON_TEXTS } from './python/formats.ts';

/** The fields of a result, by MIME type. */
const FIELDS: Readonly<Record<string, string>> = {
  'text/plain': 'text',
  'text/html': 'html',
  'text/markdown': 'markdown',
  'image/svg+xml': 'svg',
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'application/pdf': 'pdf',
  'text/latex': 'latex',
  'application/json': 'json',
  'application/javascript': 'javascript',
};

/**
 * Sends the outputs of a cell as lines of JSON at the pace of the client; a client that leaves interrupts the cell.
 * @param isAlive whether the sandbox is alive: the answer of one that ended meanwhile is cut
 */
export async function sendEvents({ res, gone }: E2bCall, cell: RunningCell, isAlive: () => boolean): Promise<void> {
  gone.addEventListener('abort', () => void cell.interrupt().catch(() => undefined), { once: true });
  res.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  res.flushHeaders();
  for await (const output of cell.outputs(gone)) {
    if (!res.write(`${lineOf(output)}\n`)) await once(res, 'drain', { signal: gone });
  }
  if (gone.aborted) return;
  if (!isAlive()) {
    res.destroy();
    return;
  }
  const { executionCount } = cell;
  if (executionCount !== null) {
    res.write(`${JSON.stringify({ type: 'number_of_executions', execution_count: executionCount })}\n`);
  }
  res.end();
}

function lineOf(output: CellOutput): string {
  switch (output.type) {
    case 'stream':
      return JSON.stringify({ type: output.name, text: output.text, timestamp: new Date().toISOString() });
    case 'error': {
      const { name, value, traceback } = output;
      return JSON.stringify({ type: 'error', name, value, traceback: traceback.join('\n') });
    }
    case 'result':
      return resultOf(output.data, output.isMain);
    default:
      return output satisfies never;
  }
}

function resultOf(data: Readonly<Record<string, unknown>>, isMain: boolean): string {
  const result: Record<string, unknown> = { type: 'result', is_main_result: isMain };
  const extra: Record<string, unknown> = {};
  const texts: string[] = [];
  for (const [type, value] of Object.entries(data)) {
    const field = FIELDS[type];
    const text = JSON_TEXTS[type];
    if (text !== undefined) texts.push(`,${JSON.stringify(text)}:${jsonOf(value)}`);
    else if (field === undefined) extra[type] = value;
    else result[field] = field === 'text' ? unquoted(value) : value;
  }
  return `${JSON.stringify({ ...result, extra }).slice(0, -1)}${texts.join('')}}`;
}

/** A text that is JSON stays as it is, without a line end: parsing it would change its numbers. */
function jsonOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  try {
    const parsed: unknown = JSON.parse(value);
    return /[\r\n]/.test(value) ? JSON.stringify(parsed) : value;
  } catch {
    return JSON.stringify(value);
  }
}

/** The clients expect the value of a text without the quotation marks of its representation. */
function unquoted(value: unknown): unknown {
  if (typeof value !== 'string' || value.length < 2) return value;
  const [first, last] = [value[0], value.at(-1)];
  return first === last && `'"\``.includes(first ?? ' ') ? value.slice(1, -1) : value;
}

import { once } from 'node:events';
import type { CellOutput, RunningCell } from '../../../core/ports/code-port.ts';
import type { E2bCall } from '../call.ts';

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
  'e2b/data': 'data',
  'e2b/chart': 'chart',
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
    if (!res.write(`${JSON.stringify(eventOf(output))}\n`)) await once(res, 'drain', { signal: gone });
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

function eventOf(output: CellOutput): object {
  switch (output.type) {
    case 'stream':
      return { type: output.name, text: output.text, timestamp: new Date().toISOString() };
    case 'error':
      return { type: 'error', name: output.name, value: output.value, traceback: output.traceback.join('\n') };
    case 'result':
      return resultOf(output.data, output.isMain);
    default:
      return output satisfies never;
  }
}

function resultOf(data: Readonly<Record<string, unknown>>, isMain: boolean): object {
  const result: Record<string, unknown> = { type: 'result', is_main_result: isMain };
  const extra: Record<string, unknown> = {};
  for (const [type, value] of Object.entries(data)) {
    const field = FIELDS[type];
    if (field === undefined) extra[type] = value;
    else result[field] = field === 'text' ? unquoted(value) : value;
  }
  return { ...result, extra };
}

/** The clients expect the value of a text without the quotation marks of its representation. */
function unquoted(value: unknown): unknown {
  if (typeof value !== 'string' || value.length < 2) return value;
  const [first, last] = [value[0], value.at(-1)];
  return first === last && `'"\``.includes(first ?? ' ') ? value.slice(1, -1) : value;
}

import { jsonLines } from '../core/body.ts';
import type { Call, Transport } from '../core/transport.ts';
import { type NotebookOutput, SHAPES } from '../wire.ts';
import type { CellResult } from './cell.ts';

export interface CellEnd {
  readonly status: CellResult['status'];
  readonly message: string;
  readonly execution_count: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly warnings?: readonly string[];
}

/** What is known of a cell as it runs. */
type CellNews =
  | { readonly type: 'execution'; readonly execution_id: string }
  | { readonly type: 'output'; readonly offset: number; readonly output: NotebookOutput }
  | ({ readonly type: 'result' } & CellEnd);

/** A line of the stream of an execution. */
type CellLine = CellNews | { readonly type: 'heartbeat' | 'dropped' | 'input_request' };

const LINES = {
  execution: { execution_id: 'string' },
  output: { offset: 'number', output: { output_type: 'string' } },
  result: SHAPES.CellResultEvent,
  heartbeat: {},
  dropped: {},
  input_request: {},
};

/** The outputs of a cell and its end, each once, over any number of connections. `json` has an idempotency key. */
export async function* followCell(
  transport: Transport,
  json: unknown,
  signal: AbortSignal | undefined,
): AsyncGenerator<CellNews> {
  const attempts = transport.attempts({ signal });
  const place: Place = { id: undefined, next: 0 };
  for (;;) {
    const call = callFor(json, place, signal);
    try {
      using answer = await transport.open(pathOf(place.id), call);
      for await (const line of jsonLines<CellLine>(answer, LINES)) {
        attempts.succeed();
        if (isNews(line, place)) yield line;
        signal?.throwIfAborted();
        if (line.type === 'result') return;
      }
      throw new Error('the stream ended before the cell');
    } catch (error) {
      await transport.again(error, call, attempts);
    }
  }
}

interface Place {
  id: string | undefined;
  /** Number of the next output. */
  next: number;
}

/** A repeated start begins with the first output again. */
function isNews(line: CellLine, place: Place): line is CellNews {
  if (line.type === 'execution') place.id = line.execution_id;
  if (line.type !== 'output') return line.type === 'execution' || line.type === 'result';
  if (line.offset < place.next) return false;
  place.next = line.offset + 1;
  return true;
}

function pathOf(id: string | undefined): string {
  return id === undefined ? '/v2/code/execute' : `/v2/code/executions/${encodeURIComponent(id)}`;
}

function callFor(json: unknown, { id, next }: Place, signal: AbortSignal | undefined): Call {
  const common = { headers: { accept: 'application/x-ndjson' }, signal, repeatable: true };
  return id === undefined ? { ...common, method: 'POST', json } : { ...common, query: { offset: next } };
}

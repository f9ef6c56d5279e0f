import { jsonLines } from '../core/body.ts';
import type { Call, Transport } from '../core/transport.ts';
import { SHAPES } from '../wire.ts';
import { type OutputEvent, OutputReader, type WireLine } from './output.ts';

/** What a stream begins with: a new command, or one that exists. */
export interface FollowStart {
  /** Body of a start, with its idempotency key. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly id?: string;
  readonly offset?: number;
  readonly stderrOffset?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onStarted?: (id: string) => void;
}

const LINES = {
  started: SHAPES.CommandStartedEvent,
  stdout: SHAPES.CommandOutputEvent,
  stderr: SHAPES.CommandOutputEvent,
  dropped: SHAPES.CommandDroppedEvent,
  heartbeat: {},
  exit: SHAPES.CommandExitEvent,
};
const NDJSON = { accept: 'application/x-ndjson' };

/**
 * The output of a command to its end, from offset to offset over any number of connections. A start that was cut is
 * repeated with its key, which starts nothing twice.
 */
export async function* follow(transport: Transport, start: FollowStart): AsyncGenerator<OutputEvent> {
  const reader = new OutputReader(start.offset ?? 0, start.stderrOffset ?? 0);
  const attempts = transport.attempts(start);
  let id = start.id;
  const noteStart = (line: WireLine): void => {
    if (line.type !== 'started') return;
    id = line.command_id;
    start.onStarted?.(id);
  };
  for (;;) {
    const call = callFor(start, id, reader);
    try {
      using answer = await transport.open(pathOf(id), call);
      for await (const line of jsonLines<WireLine>(answer, LINES)) {
        attempts.succeed();
        noteStart(line);
        const event = reader.read(line);
        if (event) yield event;
        start.signal?.throwIfAborted();
        if (event?.type === 'exit') return;
      }
      throw new Error('the stream ended before the command');
    } catch (error) {
      await transport.again(error, call, attempts);
    }
  }
}

function pathOf(id: string | undefined): string {
  return id === undefined ? '/v2/commands' : `/v2/commands/${encodeURIComponent(id)}`;
}

function callFor({ body, signal }: FollowStart, id: string | undefined, reader: OutputReader): Call {
  const common = { headers: NDJSON, signal, repeatable: true };
  const query = reader.resume();
  return id === undefined ? { ...common, method: 'POST', json: body } : { ...common, query };
}

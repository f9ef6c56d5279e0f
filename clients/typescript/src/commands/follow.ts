import type { Attempts } from '../core/attempts.ts';
import { type Answer, jsonLines } from '../core/body.ts';
import type { Call, Transport } from '../core/transport.ts';
import { SHAPES } from '../wire.ts';
import { isInexact, type OutputEvent, OutputReader, type WireLine } from './output.ts';

/** What a stream begins with: a new command, or one that exists. */
export interface FollowStart {
  /** Body of a start, with its idempotency key. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly id?: string;
  readonly offset?: number;
  readonly stderrOffset?: number;
  /** Events have the bytes of their text. */
  readonly hasBytes?: boolean | undefined;
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
  const reader = new OutputReader(start.offset ?? 0, start.stderrOffset ?? 0, start.hasBytes ?? false);
  const attempts = transport.attempts(start);
  const place = new Place(start);
  for (;;) {
    const call = place.call(reader);
    try {
      using answer = await transport.open(place.path, call);
      for await (const line of linesOf(answer, place, attempts)) {
        const event = reader.read(line);
        if (event) yield event;
        start.signal?.throwIfAborted();
        if (event?.type === 'exit') return;
      }
    } catch (error) {
      await transport.again(error, call, attempts);
    }
  }
}

/** The lines of one answer, up to one that is left to another. @throws Error if it ends before the command */
async function* linesOf(answer: Answer, place: Place, attempts: Attempts): AsyncGenerator<WireLine> {
  for await (const line of jsonLines<WireLine>(answer, LINES)) {
    attempts.succeed();
    place.note(line);
    if (place.isLeft) return;
    yield line;
  }
  throw new Error('the stream ended before the command');
}

/** The command, once it is known, and the form in which its output is read. */
class Place {
  readonly #start: FollowStart;
  #id: string | undefined;
  /** The stream of a start has text. From a piece on that may stand for other bytes, the output is read in base64. */
  #encoding: 'base64' | undefined;
  /** Whether a stream is left for one in base64. */
  isLeft = false;

  constructor(start: FollowStart) {
    this.#start = start;
    this.#id = start.id;
  }

  get path(): string {
    return this.#id === undefined ? '/v2/commands' : `/v2/commands/${encodeURIComponent(this.#id)}`;
  }

  /** The next request. */
  call(reader: OutputReader): Call {
    const { body, signal } = this.#start;
    const common = { headers: NDJSON, signal, repeatable: true };
    const query = { ...reader.resume(), encoding: this.#encoding };
    this.isLeft = false;
    return this.#id === undefined ? { ...common, method: 'POST', json: body } : { ...common, query };
  }

  note(line: WireLine): void {
    if (line.type === 'started') {
      this.#id = line.command_id;
      this.#start.onStarted?.(line.command_id);
    } else if (this.#start.hasBytes && this.#id !== undefined && this.#encoding === undefined && isInexact(line)) {
      this.#encoding = 'base64';
      this.isLeft = true;
    }
  }
}

import type { FastifyReply } from 'fastify';
import { sendNdjson } from '../../../http/streams/ndjson.ts';
import { sendEventTexts } from '../../../http/streams/sse.ts';
import type { FollowedCommand } from '../command-service.ts';
import type { FollowEvent } from '../output/follow.ts';
import type { CommandRecord } from '../run/command.ts';
import { ndjsonLines } from '../wire/ndjson-lines.ts';

/** How a client reads a stream: lines of JSON, or server-sent events with the same JSON as their data. */
export type StreamFormat = 'ndjson' | 'events';
type Encoding = 'utf-8' | 'base64';

const ACCEPTED: Readonly<Record<StreamFormat, string>> = {
  ndjson: 'application/x-ndjson',
  events: 'text/event-stream',
};

/** The type that `Accept` names first; undefined: neither. */
export function streamFormat(accept = ''): StreamFormat | undefined {
  const [ndjson, events] = [accept.indexOf(ACCEPTED.ndjson), accept.indexOf(ACCEPTED.events)];
  if (ndjson < 0) return events < 0 ? undefined : 'events';
  return events < 0 || ndjson < events ? 'ndjson' : 'events';
}

export function sendOutput(
  reply: FastifyReply,
  format: StreamFormat,
  encoding: Encoding,
  events: (gone: AbortSignal) => AsyncIterable<FollowEvent>,
): Promise<FastifyReply> {
  return sendLines(reply, format, (gone) => ndjsonLines(events(gone), encoding));
}

/** Begins with a line that names the command. A client that leaves ends the stream, not the command. */
export function sendRun(
  reply: FastifyReply,
  format: StreamFormat,
  { record, follow }: FollowedCommand,
): Promise<FastifyReply> {
  return sendLines(reply, format, async function* (gone) {
    yield startedLine(record);
    yield* ndjsonLines(follow(gone), 'utf-8');
  });
}

function sendLines(
  reply: FastifyReply,
  format: StreamFormat,
  lines: (gone: AbortSignal) => AsyncIterable<string | Buffer>,
): Promise<FastifyReply> {
  return format === 'ndjson' ? sendNdjson(reply, lines) : sendEventTexts(reply, (gone) => asEvents(lines(gone)));
}

function startedLine({ id, sessionId, pid, startedAt }: CommandRecord): string {
  const started = { type: 'started', command_id: id, session_id: sessionId, pid, started_at: startedAt };
  return `${JSON.stringify(started)}\n`;
}

/** Every line begins with its type, which is the name of the event. */
async function* asEvents(lines: AsyncIterable<string | Buffer>): AsyncGenerator<string | Buffer> {
  for await (const line of lines) {
    const [, type] = /^{"type":"([a-z]+)"/.exec(line.toString('latin1', 0, 32)) ?? [];
    const head = `event: ${type}\ndata: `;
    yield typeof line === 'string' ? `${head}${line}\n` : Buffer.concat([Buffer.from(head), line, LINE_FEED]);
  }
}

const LINE_FEED = Buffer.from('\n');

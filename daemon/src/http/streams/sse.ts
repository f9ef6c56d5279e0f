import { jsonText } from '@sandbox/program/json-text.ts';
import type { FastifyReply } from 'fastify';
import { LIVE_HEADERS, type StreamChunks, sendStream } from './send-stream.ts';

/** One server-sent event (HTML Living Standard §9.2.6). */
export interface ServerSentEvent {
  readonly event: string;
  /** The client returns it as `Last-Event-ID`; must not contain line breaks or NUL. */
  readonly id?: string;
  /** Sent as JSON on one line. */
  readonly data: unknown;
}

/** A comment line, which keeps the connection and intermediaries alive and dispatches no event. */
const HEARTBEAT = ': heartbeat\n\n';

/**
 * Streams events with backpressure and a heartbeat after 15 s of silence. The source yields batches of available
 * events; its signal fires when the client disconnects, and its iterator is always finished or returned.
 */
export function sendEvents(
  reply: FastifyReply,
  source: (gone: AbortSignal) => AsyncIterable<readonly ServerSentEvent[]>,
): Promise<FastifyReply> {
  return sendEventTexts(reply, (gone) => encodeBatches(source(gone)));
}

/** As `sendEvents`, of events that the source has encoded. */
export function sendEventTexts(
  reply: FastifyReply,
  source: (gone: AbortSignal) => StreamChunks,
): Promise<FastifyReply> {
  void reply.headers(LIVE_HEADERS);
  return sendStream(reply, 'text/event-stream', source, { heartbeat: HEARTBEAT });
}

async function* encodeBatches(batches: AsyncIterable<readonly ServerSentEvent[]>): AsyncIterable<string> {
  for await (const batch of batches) if (batch.length > 0) yield batch.map(encodeEvent).join('');
}

function encodeEvent({ event, id, data }: ServerSentEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${idLine}data: ${jsonText(data)}\n\n`;
}

import type { FastifyReply } from 'fastify';
import { sendStream } from './send-stream.ts';

/** One event as `EventSource` takes it (HTML Living Standard §9.2.6). */
export interface ServerSentEvent {
  readonly event: string;
  /** Comes back as `Last-Event-ID`; without line breaks and NUL. */
  readonly id?: string;
  /** Sent as JSON, hence on one line. */
  readonly data: unknown;
}

/** A comment: it keeps the connection and whatever lies between alive, and is no event. */
const HEARTBEAT = ': heartbeat\n\n';

/**
 * Sends events as they come, at the pace of the reader, with a heartbeat in every silence. The source yields what is
 * ready in one piece; it gets a signal that is aborted when the client is gone, and is always run to its end or returned.
 */
export function sendEvents(
  reply: FastifyReply,
  source: (gone: AbortSignal) => AsyncIterable<readonly ServerSentEvent[]>,
): Promise<FastifyReply> {
  // What buffers answers (nginx does) would hold events back until there are many.
  void reply.header('x-accel-buffering', 'no');
  return sendStream(reply, 'text/event-stream', (gone) => written(source(gone)), { heartbeat: HEARTBEAT });
}

async function* written(batches: AsyncIterable<readonly ServerSentEvent[]>): AsyncIterable<string> {
  for await (const batch of batches) if (batch.length > 0) yield batch.map(lineOf).join('');
}

function lineOf({ event, id, data }: ServerSentEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${idLine}data: ${JSON.stringify(data)}\n\n`;
}

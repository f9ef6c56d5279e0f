import type { FastifyReply } from 'fastify';
import { LIVE_HEADERS, type StreamChunks, sendStream } from './send-stream.ts';

const HEARTBEAT = '{"type":"heartbeat"}\n';

/** Sends NDJSON (one JSON object a line) with a heartbeat line in every silence. The source yields whole lines. */
export function sendNdjson(reply: FastifyReply, lines: (gone: AbortSignal) => StreamChunks): Promise<FastifyReply> {
  void reply.headers(LIVE_HEADERS);
  return sendStream(reply, 'application/x-ndjson', lines, { heartbeat: HEARTBEAT });
}

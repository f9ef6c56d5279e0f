import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { SandboxError } from '../../core/errors.ts';

/** Seconds of silence after which a line says that the stream is still there. */
export const HEARTBEAT_MS = 15_000;
const HEARTBEAT = '{"type":"heartbeat"}\n';

/**
 * Sends what the source yields, at the pace of the reader. `source` gets a signal that is aborted when the
 * client is gone, and is always run to its end or returned.
 */
export async function sendStream(
  reply: FastifyReply,
  contentType: string,
  source: (gone: AbortSignal) => AsyncIterable<string | Uint8Array>,
): Promise<FastifyReply> {
  const { raw } = reply.hijack();
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  raw.writeHead(reply.statusCode, { 'cache-control': 'no-store', ...headersOf(reply), 'content-type': contentType });
  raw.flushHeaders();
  try {
    for await (const chunk of source(gone.signal)) {
      if (gone.signal.aborted) break;
      if (!raw.write(chunk)) await drained(raw, gone.signal);
    }
    raw.end();
  } catch (error) {
    if (error instanceof SandboxError) {
      reply.log.warn({ reason: error.message, reqId: reply.request.id }, 'a stream was cut');
    } else {
      reply.log.error({ err: error, reqId: reply.request.id }, 'a stream was cut by a defect of the service');
    }
    raw.destroy();
  }
  return reply;
}

/** NDJSON (one JSON object a line) with a heartbeat in every silence. The source yields whole lines. */
export function sendNdjson(
  reply: FastifyReply,
  lines: (gone: AbortSignal) => AsyncIterable<string | Uint8Array>,
): Promise<FastifyReply> {
  return sendWithHeartbeat(reply, { contentType: 'application/x-ndjson', heartbeat: HEARTBEAT }, lines);
}

/** As `sendStream`; in every silence of 15 s `heartbeat` is sent. */
export function sendWithHeartbeat(
  reply: FastifyReply,
  { contentType, heartbeat }: { readonly contentType: string; readonly heartbeat: string },
  source: (gone: AbortSignal) => AsyncIterable<string | Uint8Array>,
): Promise<FastifyReply> {
  return sendStream(reply, contentType, (gone) => {
    const beat = setInterval(() => {
      if (reply.raw.writableLength === 0) reply.raw.write(heartbeat);
    }, HEARTBEAT_MS);
    return watched(source(gone), beat);
  });
}

async function* watched<T>(lines: AsyncIterable<T>, beat: NodeJS.Timeout): AsyncIterable<T> {
  try {
    for await (const line of lines) {
      beat.refresh();
      yield line;
    }
  } finally {
    clearInterval(beat);
  }
}

async function drained(raw: ServerResponse, gone: AbortSignal): Promise<void> {
  await once(raw, 'drain', { signal: gone }).catch(() => undefined);
}

function headersOf(reply: FastifyReply): Record<string, string | string[] | number> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { FastifyReply } from 'fastify';
import { isTurnSpent, yieldToEventLoop } from '../../core/turns.ts';

/** Milliseconds of silence after which a heartbeat is sent. */
export const HEARTBEAT_MS = 15_000;

/**
 * Headers of a response that is written while it happens: nginx does not buffer it, and no intermediary keeps or
 * compresses it (RFC 9111, section 5.2.2).
 */
export const LIVE_HEADERS = {
  'cache-control': 'no-store, no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

export type StreamChunks = AsyncIterable<string | Uint8Array>;

/**
 * Sends the chunks of the source at the pace of the reader. The signal of `source` fires when the client is gone; the
 * chunks are always read to their end or returned. An error of the source after the headers cuts the connection, so
 * that the client does not take the answer for a whole one.
 * @param source what it throws itself, before the first chunk, is answered as the error of any other route
 * @param heartbeat sent after every 15 s without a chunk, unless earlier bytes still wait for the reader
 */
export async function sendStream(
  reply: FastifyReply,
  contentType: string,
  source: (gone: AbortSignal) => StreamChunks,
  { heartbeat }: { readonly heartbeat?: string } = {},
): Promise<FastifyReply> {
  const gone = new AbortController();
  const chunks = source(gone.signal);
  const { raw } = reply.hijack();
  if (raw.destroyed) gone.abort();
  raw.once('close', () => gone.abort());
  raw.writeHead(reply.statusCode, { 'cache-control': 'no-store', ...headersOf(reply), 'content-type': contentType });
  raw.flushHeaders();
  const beat = heartbeat === undefined ? undefined : startHeartbeat(raw, heartbeat);
  try {
    for await (const chunk of chunks) {
      beat?.refresh();
      if (gone.signal.aborted) break;
      if (!raw.write(chunk)) await drained(raw, gone.signal);
      // A source that is always ready and a reader that keeps up would leave the event loop no turn.
      if (isTurnSpent()) await yieldToEventLoop();
    }
    raw.end();
  } catch (error) {
    logCut(reply, error);
    raw.destroy();
  } finally {
    clearInterval(beat);
  }
  return reply;
}

function startHeartbeat(raw: ServerResponse, heartbeat: string): NodeJS.Timeout {
  return setInterval(() => {
    if (raw.writableLength === 0) raw.write(heartbeat);
  }, HEARTBEAT_MS);
}

async function drained(raw: ServerResponse, gone: AbortSignal): Promise<void> {
  await once(raw, 'drain', { signal: gone }).catch(() => undefined);
}

function logCut({ log, request }: FastifyReply, error: unknown): void {
  if (error instanceof SandboxError) log.warn({ reason: error.message, reqId: request.id }, 'a stream was cut');
  else log.error({ err: error, reqId: request.id }, 'a stream was cut by a defect of the service');
}

function headersOf(reply: FastifyReply): Record<string, string | string[] | number> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

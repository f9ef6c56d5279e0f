import type { IncomingMessage, ServerResponse } from 'node:http';
import { HEALTH_PATHS } from '@sandbox/program/health-paths.ts';
import type { Tracing } from '@sandbox/program/tracing/span.ts';

interface Traced {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly path: string;
}

/** Status from which on an exchange counts as failed in a trace. */
const FAILED = 500;

/**
 * Begins the span of an exchange, which ends with its response, or with its connection. It names no path, since a path
 * of a previewed application may hold a secret.
 * @returns `traceparent` for the upstream; undefined for health checks
 */
export function traceExchange(tracing: Tracing, { req, res, requestId, path }: Traced): string | undefined {
  if (HEALTH_PATHS.has(path)) return undefined;
  const { traceparent: parent } = req.headers;
  const method = req.method ?? 'GET';
  const span = tracing.start(`${method} gateway`, {
    kind: 'server',
    parent: typeof parent === 'string' ? parent : undefined,
    attributes: { 'http.request.method': method, 'sandbox.request_id': requestId },
  });
  const { socket } = req;
  const leave = (): void => span.end();
  socket.once('close', leave);
  res.once('close', () => {
    socket.off('close', leave);
    const { headersSent, statusCode } = res;
    if (headersSent)
      span.end({ attributes: { 'http.response.status_code': statusCode }, failed: statusCode >= FAILED });
    else span.end();
  });
  return span.traceparent;
}

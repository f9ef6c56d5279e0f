import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Span, Tracing } from './span.ts';

interface TracedRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** What the span is called after its method, such as a route pattern: never a path, which may hold a secret. */
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Status from which on a request counts as failed in a trace. */
const FAILED = 500;

/** Begins the span of a request, below that of its client. It ends with the response, or with the connection. */
export function startHttpSpan(tracing: Tracing, { req, res, requestId, name, attributes }: TracedRequest): Span {
  const { traceparent: parent } = req.headers;
  const method = req.method ?? 'GET';
  const span = tracing.start(`${method} ${name}`, {
    kind: 'server',
    parent: typeof parent === 'string' ? parent : undefined,
    attributes: { 'http.request.method': method, ...attributes, 'sandbox.request_id': requestId },
  });
  // A WebSocket, or a client that left, ends without a response.
  const { socket } = req;
  const leave = (): void => span.end();
  socket.once('close', leave);
  res.once('close', () => {
    socket.off('close', leave);
    const { headersSent, statusCode } = res;
    if (!headersSent) span.end();
    else span.end({ attributes: { 'http.response.status_code': statusCode }, failed: statusCode >= FAILED });
  });
  return span;
}

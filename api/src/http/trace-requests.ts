import { HEALTH_PATHS } from '@sandbox/program/health-paths.ts';
import type { Span, Tracing } from '@sandbox/program/tracing/span.ts';
import { withinSpan } from '@sandbox/program/tracing/tracing.ts';
import type { FastifyRequest } from 'fastify';
import type { App } from './app-types.ts';

/** Status from which on a request counts as failed in a trace. */
const FAILED = 500;

/** A span for each request but health checks, below that of the caller; handlers find it by `currentSpan`. */
export function traceRequests(app: App, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched';
    if (!HEALTH_PATHS.has(route)) {
      const { traceparent: parent } = request.headers;
      const span = tracing.start(`${request.method} ${route}`, {
        kind: 'server',
        parent: typeof parent === 'string' ? parent : undefined,
        attributes: { 'http.request.method': request.method, 'http.route': route, 'sandbox.request_id': request.id },
      });
      spans.set(request, span);
      // A WebSocket, or a client that left, ends without a response.
      const { socket } = request.raw;
      const leave = (): void => span.end();
      socket.once('close', leave);
      reply.raw.once('close', () => {
        socket.off('close', leave);
        if (reply.raw.headersSent) endWith(span, reply.statusCode);
        else span.end();
      });
    }
    done();
  });
  // After the body: the events of its socket would lose what runs around them.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else withinSpan(span, done);
  });
}

function endWith(span: Span, status: number): void {
  span.end({ attributes: { 'http.response.status_code': status }, failed: status >= FAILED });
}

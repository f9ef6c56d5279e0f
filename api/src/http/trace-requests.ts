import { HEALTH_PATHS } from '@sandbox/program/health-paths.ts';
import { startHttpSpan } from '@sandbox/program/tracing/http-span.ts';
import type { Span, Tracing } from '@sandbox/program/tracing/span.ts';
import { withinSpan } from '@sandbox/program/tracing/tracing.ts';
import type { FastifyRequest } from 'fastify';
import type { App } from './app-types.ts';

/** A span for each request but health checks; handlers find it by `currentSpan`. */
export function traceRequests(app: App, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, { raw: res }, done) => {
    const route = request.routeOptions.url ?? 'unmatched';
    if (!HEALTH_PATHS.has(route)) {
      const attributes = { 'http.route': route };
      const named = { requestId: request.id, name: route, attributes };
      spans.set(request, startHttpSpan(tracing, { req: request.raw, res, ...named }));
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

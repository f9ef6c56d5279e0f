import type { Logger } from '@sandbox/program/logger.ts';
import type { FastifyRequest } from 'fastify';
import type { App } from './app-types.ts';

/** Logs one line per request, without the query string, which may contain the key. */
export function logRequests(app: App, logger: Logger): void {
  if (!logger.isLevelEnabled('info')) return;
  app.addHook('onResponse', (request, reply, done) => {
    logger.info(
      {
        reqId: request.id,
        method: request.method,
        path: pathOf(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        client: request.ip,
      },
      'request',
    );
    done();
  });
}

function pathOf(request: FastifyRequest): string {
  const url = request.raw.url ?? '';
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

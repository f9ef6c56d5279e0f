import { type AccessLog, hasAccessLine } from '@sandbox/program/access-lines.ts';
import { HEALTH_PATHS } from '@sandbox/program/health-paths.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from './app-types.ts';

/**
 * Logs one line per request that `accessLog` selects, without the query string, which may contain the key. Successful health checks, and the
 * questions of the gateway, which logs the request behind each of them, are at debug.
 */
export function logRequests(app: App, logger: Logger, accessLog: AccessLog): void {
  if (accessLog === 'off' || !logger.isLevelEnabled('info')) return;
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      if (reply.raw.headersSent) return;
      const fields = { ...fieldsOf(request, reply), status: null };
      if (hasAccessLine(accessLog, fields)) logger.info(fields, 'unanswered request');
    });
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const fields = fieldsOf(request, reply);
    if (reply.raw.headersSent && hasAccessLine(accessLog, fields)) {
      logger[isQuiet(fields) ? 'debug' : 'info'](fields, 'request');
    }
    done();
  });
}

interface Fields {
  readonly path: string;
  readonly status: number;
}

function fieldsOf(request: FastifyRequest, reply: FastifyReply): Fields & Readonly<Record<string, unknown>> {
  return {
    reqId: request.id,
    method: request.method,
    path: pathOf(request),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    client: request.ip,
    key: keyNameOf(request),
  };
}

const keyNames = new WeakMap<object, string>();

/** The name of the key that opened a request. */
export function keyNameOf({ raw }: Pick<FastifyRequest, 'raw'>): string | undefined {
  return keyNames.get(raw);
}

export function noteKeyName({ raw }: Pick<FastifyRequest, 'raw'>, name: string): void {
  keyNames.set(raw, name);
}

function isQuiet({ path, status }: Fields): boolean {
  return path === '/internal/auth' || path === '/internal/credentials' || (status < 300 && HEALTH_PATHS.has(path));
}

function pathOf(request: FastifyRequest): string {
  const url = request.raw.url ?? '';
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

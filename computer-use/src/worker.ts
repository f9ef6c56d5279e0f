import { createServer } from 'node:http';
import type { App } from '@sandbox/api/http/app-types.ts';
import { readBodies } from '@sandbox/api/http/body.ts';
import { handleErrors, refuseUnknownRoutes } from '@sandbox/api/http/error-handler.ts';
import { refuseOtherMethods } from '@sandbox/api/http/methods.ts';
import { openFrame } from '@sandbox/api/http/service-frame.ts';
import { ServiceMetrics } from '@sandbox/api/service-metrics.ts';
import { VERSION } from '@sandbox/api/version.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import { OpenConnections } from '@sandbox/program/server/open-connections.ts';
import { openTracing } from '@sandbox/program/tracing/tracing.ts';
import { guardAgainstPages } from './guard.ts';
import type { ComputerUseConfig } from './options.ts';
import { openParts } from './parts.ts';
import { mountRoutes } from './routes.ts';
import { XLink } from './x11/x-link.ts';

export const MAX_CONNECTIONS = 256;
/** Milliseconds that connections get to take the last bytes of their answers when the worker stops. */
const CLOSING_MS = 500;

/** The whole worker without a socket. It starts without a display and connects when a call needs it. */
export async function buildWorker(config: ComputerUseConfig, logger: Logger): Promise<App> {
  const connections = new OpenConnections({ ceiling: MAX_CONNECTIONS }, logger);
  const metrics = new ServiceMetrics();
  const tracing = await openTracing({ endpoint: config.otlpEndpoint, service: 'computer-use', version: VERSION });
  const app = openFrame({
    server: {
      serverFactory: (handler) => {
        const server = createServer({ keepAliveTimeout: 75_000, requestTimeout: 0 });
        connections.watch(server);
        return server.on('request', (req, res) => connections.take(req, res, () => handler(req, res)));
      },
      clientErrorHandler: ignore,
    },
    logger,
    accessLog: config.accessLog,
    metrics,
    tracing,
    isTrusted: () => false,
    validateResponses: config.validateResponses,
    handleError: handleErrors(),
    answerUnknownRoute: refuseUnknownRoutes('GET /capabilities says what the worker serves'),
  });
  guardAgainstPages(app, config.allowedHosts);
  refuseOtherMethods(app);
  readBodies(app);
  const link = new XLink(config, logger);
  const parts = openParts(config, logger, link);
  app.addHook('preClose', async () => {
    for (const part of [...parts.list].reverse()) await part[Symbol.asyncDispose]();
    await link[Symbol.asyncDispose]();
    await tracing?.[Symbol.asyncDispose]();
    setTimeout(() => app.server.closeAllConnections(), CLOSING_MS).unref();
  });
  mountRoutes(app, { config, link, parts }, metrics, logger);
  await app.ready();
  return app;
}

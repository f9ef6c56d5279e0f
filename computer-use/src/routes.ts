import type { App } from '@sandbox/api/http/app-types.ts';
import type { ServiceMetrics } from '@sandbox/api/service-metrics.ts';
import { VERSION } from '@sandbox/api/version.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import { ActionRunner } from './input/action-runner.ts';
import { Screenshots } from './screen/screenshots.ts';
import { actionRoutes } from './wire/action-routes.ts';
import { desktopRoutes } from './wire/desktop-routes.ts';
import { infoRoutes } from './wire/info-routes.ts';
import { screenRoutes } from './wire/screen-routes.ts';
import type { WorkerContext } from './worker-context.ts';

/** The routes of the worker: the operator's, and those of the desktop below `/v2`, the parts' among them. */
export function mountRoutes(app: App, worker: WorkerContext, metrics: ServiceMetrics, logger: Logger): void {
  const { parts, link } = worker;
  const screenshots = new Screenshots(link);
  const runner = new ActionRunner(link, parts.nodes, logger);
  app.get('/healthz', async () => ({ status: 'healthy', version: VERSION }));
  app.get('/metrics', async (_request, reply) => {
    const { contentType, body } = await metrics.text();
    return reply.header('content-type', contentType).send(body);
  });
  const routes = (scope: App, _options: unknown, done: () => void): void => {
    infoRoutes(app, scope, worker);
    actionRoutes(scope, runner, screenshots);
    screenRoutes(scope, screenshots, link);
    desktopRoutes(scope, runner, link);
    for (const part of parts.list) part.mount(scope);
    done();
  };
  void app.register(routes as Parameters<App['register']>[0], { prefix: '/v2' });
}

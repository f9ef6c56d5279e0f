import type { App } from '@sandbox/api/http/app-types.ts';
import type { ServiceMetrics } from '@sandbox/api/service-metrics.ts';
import { VERSION } from '@sandbox/api/version.ts';
import { infoRoutes } from './wire/info-routes.ts';
import type { WorkerContext } from './worker-context.ts';

/** The routes of the worker: the operator's, and those of the desktop below `/v2`, the parts' among them. */
export function mountRoutes(app: App, worker: WorkerContext, metrics: ServiceMetrics): void {
  const { parts } = worker;
  app.get('/healthz', async () => ({ status: 'healthy', version: VERSION }));
  app.get('/metrics', async (_request, reply) => {
    const { contentType, body } = await metrics.text();
    return reply.header('content-type', contentType).send(body);
  });
  const routes = (scope: App, _options: unknown, done: () => void): void => {
    infoRoutes(app, scope, worker);
    for (const part of parts.list) part.mount(scope);
    done();
  };
  void app.register(routes as Parameters<App['register']>[0], { prefix: '/v2' });
}

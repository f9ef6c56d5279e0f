import type { FastifyPluginCallback } from 'fastify';
import { VERSION } from '../core/version.ts';
import type { App } from './app-types.ts';
import { describeRoutes } from './openapi.ts';

const DESCRIPTIONS = {
  v2: {
    title: 'Sandbox service',
    description: 'Commands, files, terminals, code, a browser and a desktop for agents.',
  },
  v1: { title: 'Sandbox service, 1.x layout', description: 'The routes that clients of 1.x call, in their layout.' },
} as const;

/** Registers one generation of routes and its OpenAPI document. `besides` adds routes outside the prefix to the document. */
export function mountSurface(
  app: App,
  surface: 'v1' | 'v2',
  adapters: readonly ((routes: App) => void)[],
  besides?: (scope: App) => void,
): void {
  void app.register((scope: App, _options, done) => {
    const describe = describeRoutes(scope, { ...DESCRIPTIONS[surface], version: VERSION });
    void scope.register((described: App, _none, routesDone) => {
      besides?.(described);
      routesDone();
    });
    const mount: FastifyPluginCallback = (routes: App, _none, routesDone) => {
      for (const adapter of adapters) adapter(routes);
      routes.get('/openapi.json', { schema: { hide: true } }, () => describe());
      routesDone();
    };
    void scope.register(mount, { prefix: `/${surface}` });
    done();
  });
}

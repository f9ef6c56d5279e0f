import type { FastifyPluginCallback } from 'fastify';
import { VERSION } from '../core/version.ts';
import type { App } from './app-types.ts';
import { type Document, describeRoutes } from './openapi.ts';

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
  let document: Promise<Document> | undefined;
  const mount = (scope: App): void => {
    besides?.(scope);
    const routesOfSurface: FastifyPluginCallback = (routes: App, _options, done) => {
      for (const adapter of adapters) adapter(routes);
      routes.get('/openapi.json', { schema: { hide: true } }, () => {
        document ??= describeRoutes(mount, { ...DESCRIPTIONS[surface], version: VERSION });
        return document;
      });
      done();
    };
    void scope.register(routesOfSurface, { prefix: `/${surface}` });
  };
  mount(app);
}

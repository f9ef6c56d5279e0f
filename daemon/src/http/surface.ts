import type { MountedCapability } from '../capability.ts';
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
export async function mountSurface(
  app: App,
  surface: 'v1' | 'v2',
  capabilities: readonly MountedCapability[],
  besides?: (scope: App) => void,
): Promise<void> {
  await app.register(async (scope: App) => {
    const describe = await describeRoutes(scope, { ...DESCRIPTIONS[surface], version: VERSION });
    besides?.(scope);
    await scope.register(
      async (routes: App) => {
        for (const capability of capabilities) capability[surface]?.(routes);
        routes.get('/openapi.json', { schema: { hide: true } }, async () => describe());
      },
      { prefix: `/${surface}` },
    );
  });
}

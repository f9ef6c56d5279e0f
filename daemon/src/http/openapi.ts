import swagger from '@fastify/swagger';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { App } from './app-types.ts';

export interface SurfaceDescription {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

interface Document {
  readonly openapi: string;
  components?: { schemas?: Record<string, unknown> };
  [key: string]: unknown;
}

/**
 * Describes in OpenAPI 3.1 the routes of the plugins that `scope` registers after this call. The document is made on demand, once.
 * @returns the maker; only call it when the app is ready
 */
export function describeRoutes(scope: App, { title, version, description }: SurfaceDescription): () => Document {
  void scope.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      servers: [{ url: '/' }],
      security: [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          apiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key' },
          apiKeyQuery: {
            type: 'apiKey',
            in: 'query',
            name: 'api_key',
            description: 'Deprecated: shows in logs of others.',
          },
        },
      },
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  let document: Document | undefined;
  return () => {
    document ??= onlyReachable(scope.swagger() as unknown as Document);
    return document;
  };
}

/** The registry of schemas is global: keeps the ones that the routes of this document lead to. */
function onlyReachable(document: Document): Document {
  const { components = {}, ...rest } = document;
  const schemas = components.schemas ?? {};
  const reached = new Set<string>();
  const follow = (node: unknown): void => {
    for (const [, name = ''] of JSON.stringify(node ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (reached.has(name)) continue;
      reached.add(name);
      follow(schemas[name]);
    }
  };
  follow(rest);
  const kept = Object.entries(schemas)
    .filter(([name]) => reached.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...rest, openapi: document.openapi, components: { ...components, schemas: Object.fromEntries(kept) } };
}

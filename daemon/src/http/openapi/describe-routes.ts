import type { App } from '@sandbox/api/http/app-types.ts';
import { validatorCompiler } from '@sandbox/api/http/validation.ts';
import fastify from 'fastify';
import { z } from 'zod';
import { closeRequests, OPEN_BODY } from './close-requests.ts';
import { describeDefaults } from './describe-defaults.ts';
import { describeExamples } from './describe-examples.ts';
import { describeRequests } from './describe-requests.ts';
import { describeResponses, EVENTS } from './describe-responses.ts';
import { describeUnions } from './describe-unions.ts';
import type { Document } from './document.ts';
import { describeTags } from './tags.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Schema of the events of a stream: a line of NDJSON, or the data of a server-sent event. */
    events?: z.ZodType;
  }
}

export interface SurfaceDescription {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Whether the service refuses fields that the document does not have. */
  readonly isStrict: boolean;
}

/**
 * Describes routes in OpenAPI 3.1. The routes are registered again on an app that never listens, so that the packages
 * for this are loaded only for the first request of a document.
 */
export async function describeRoutes(
  mount: (scope: App) => void,
  { title, version, description, isStrict }: SurfaceDescription,
): Promise<Document> {
  const [{ default: swagger }, { jsonSchemaTransform, jsonSchemaTransformObject }] = await Promise.all([
    import('@fastify/swagger'),
    import('fastify-type-provider-zod'),
  ]);
  const app: App = fastify();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      servers: [{ url: '/' }],
      security: [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }, { ticket: [] }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'The key.' },
          apiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The key.' },
          apiKeyQuery: {
            type: 'apiKey',
            in: 'query',
            name: 'api_key',
            description: 'Deprecated: shows in logs of others.',
          },
          ticket: {
            type: 'apiKey',
            in: 'query',
            name: 'ticket',
            description: 'A short-lived credential for one path, from POST /v2/tickets.',
          },
        },
      },
    },
    transform: (route) => {
      const { schema, url } = jsonSchemaTransform(route);
      const { namesUnknownFields: isOpen = false, events } = route.route.config ?? {};
      const name = events === undefined ? undefined : z.globalRegistry.get(events)?.id;
      return {
        schema: { ...schema, ...(isOpen && { [OPEN_BODY]: true }), ...(name !== undefined && { [EVENTS]: name }) },
        url,
      };
    },
    transformObject: jsonSchemaTransformObject,
  });
  mount(app);
  await app.ready();
  const document: Document = JSON.parse(JSON.stringify(app.swagger()));
  await app.close();
  closeRequests(document, isStrict);
  describeExamples(document);
  describeRequests(document);
  describeDefaults(document);
  describeResponses(document);
  describeUnions(document);
  describeTags(document);
  return onlyReachable(document);
}

/** Keeps only the schemas that the routes of this document reference, because the schema registry is global. */
function onlyReachable(document: Document): Document {
  const { components, ...rest } = document;
  const { schemas } = components;
  const reached = new Set<string>();
  const follow = (node: unknown): void => {
    for (const [, name = ''] of JSON.stringify(node ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (reached.has(name)) continue;
      reached.add(name);
      follow(schemas[name]);
    }
  };
  follow([rest, components.responses]);
  const kept = Object.entries(schemas)
    .filter(([name]) => reached.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...document, components: { ...components, schemas: Object.fromEntries(kept) } };
}

import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import type { ErrorWording } from '@sandbox/api/http/error-handler.ts';
import { detailOf } from '@sandbox/api/http/validation.ts';
import { VERSION } from '@sandbox/api/version.ts';
import { PRODUCT } from '@sandbox/program/product.ts';
import type { FastifyPluginCallback } from 'fastify';
import { z } from 'zod';
import { errorHandler } from './errors.ts';
import { MemoryDocument } from './files/memory-document.ts';
import { describeRoutes } from './openapi/describe-routes.ts';
import type { Document } from './openapi/document.ts';
import { refuseUnknownFields } from './unknown/refuse-unknown-fields.ts';

export type SurfaceName = 'v1' | 'v2';

interface Surface {
  readonly title: string;
  readonly description: string;
  readonly errors: ErrorWording;
  /** Whether an unknown field of a request is an error, unless SVC_STRICT is off. */
  readonly isStrict: boolean;
  /** Paths below the prefix that the contract defines in addition to the routes of the capabilities. */
  readonly fixed: readonly FixedPath[];
}

interface FixedPath {
  readonly path: string;
  /** Whether the path needs no key. */
  readonly isPublic: boolean;
  readonly mount: (routes: App, document: MemoryDocument) => void;
}

const OPENAPI: FixedPath = {
  path: '/openapi.json',
  isPublic: true,
  mount: (routes, document) => mountDocument(routes, document),
};

const PING: FixedPath = {
  path: '/ping',
  isPublic: true,
  mount: (routes) =>
    routes.get('/ping', {
      schema: {
        tags: ['system'],
        operationId: 'ping',
        summary: 'Whether the service answers',
        security: [],
        response: { 200: envelopeOf(z.literal('pong')) },
      },
      config: { need: 'any' },
      handler: async () => ok('pong' as const, 'pong'),
    }),
};

/** The API versions, each below the prefix of its name. */
const SURFACES: Readonly<Record<SurfaceName, Surface>> = {
  v2: {
    title: PRODUCT.title,
    description:
      'Commands, files, terminals, code, a browser and a desktop for agents. Lists have two shapes: `data` of tabs, ' +
      'downloads, cookies and network/requests of the browser is the array itself; elsewhere `data` is an object with ' +
      'the array in a field, such as `data.commands`.',
    errors: {},
    isStrict: true,
    fixed: [OPENAPI],
  },
  v1: {
    title: `${PRODUCT.title}, 1.x layout`,
    description: 'The routes that clients of 1.x call, in their layout.',
    errors: { validationFields: detailOf },
    isStrict: false,
    fixed: [OPENAPI, PING],
  },
};

/** Serves an OpenAPI document at `/openapi.json`. */
export function mountDocument(routes: App, document: MemoryDocument): void {
  routes.get('/openapi.json', { schema: { hide: true } }, (request, reply) => document.send(request, reply));
}

/** A JSON document that is sent from memory. */
export function jsonDocument(make: () => Promise<object>): MemoryDocument {
  return new MemoryDocument('application/json; charset=utf-8', async () => JSON.stringify(await make()));
}

/** The fixed paths that need no key, of all surfaces. */
export function publicSurfacePaths(): string[] {
  return Object.entries(SURFACES).flatMap(([name, { fixed }]) =>
    fixed.filter(({ isPublic }) => isPublic).map(({ path }) => `/${name}${path}`),
  );
}

interface SurfaceParts {
  readonly adapters: readonly ((routes: App) => void)[];
  /** Whether the surfaces that refuse unknown fields do so. */
  readonly isStrict: boolean;
}

/**
 * Registers the routes of one API version and its OpenAPI document. Each adapter has its own scope for its hooks and
 * its error handler. `besides` adds routes outside the prefix to the document.
 * @returns the document, which is made at the first use
 */
export function mountSurface(
  app: App,
  name: SurfaceName,
  { adapters, isStrict }: SurfaceParts,
  besides?: (scope: App) => void,
): () => Promise<Document> {
  const { title, description, errors, fixed, isStrict: mayRefuse } = SURFACES[name];
  const refuses = mayRefuse && isStrict;
  let document: Promise<Document> | undefined;
  const describe = (): Promise<Document> => {
    document ??= describeRoutes(mount, { title, description, version: VERSION, isStrict: refuses });
    return document;
  };
  const served = jsonDocument(describe);
  const mount = (scope: App): void => {
    besides?.(scope);
    const routesOfSurface: FastifyPluginCallback = (routes: App, _options, done) => {
      routes.setErrorHandler(errorHandler(errors));
      refuseUnknownFields(routes, refuses);
      for (const adapter of adapters) void routes.register(inScope(adapter));
      for (const path of fixed) path.mount(routes, served);
      done();
    };
    void scope.register(routesOfSurface, { prefix: `/${name}` });
  };
  mount(app);
  return describe;
}

/** A plugin with a scope of its own for the hooks and parsers of the adapter. */
export function inScope(adapter: (routes: App) => void): FastifyPluginCallback {
  return (routes: App, _options, done) => {
    adapter(routes);
    done();
  };
}

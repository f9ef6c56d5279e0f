import type { FastifyRequest, FastifySchema } from 'fastify';
import { z } from 'zod';
import type { ErrorKind } from '../sandbox-error.ts';

/** Characters of an example in a hint. */
const MAX_EXAMPLE = 300;

/** The next step after an error that names none, by its kind. */
const STEPS: Readonly<Record<ErrorKind, (request: FastifyRequest) => string>> = {
  invalid: exampleOf,
  unauthorized: () => 'send the key as Authorization: Bearer or x-api-key, or a ticket',
  forbidden: () => 'use an account that may do this (user), or change the permissions',
  not_found: (request) => listOf(request) ?? 'check the name; it may have been deleted',
  conflict: () => 'read the present state and decide again; the same call fails while that state lasts',
  precondition: () => 'read it again and repeat the call with its present etag',
  too_large: (request) => `send or ask for less at once; ${documentOf(request)} has the limits`,
  unprocessable: exampleOf,
  capacity: () => 'repeat after Retry-After, or end what is not needed any more',
  unsupported: () => 'GET /v2/capabilities lists what this sandbox has',
  unavailable: () => 'retry shortly; GET /ready says what does not work',
  disk_full: () => 'delete files, then repeat the call',
  io: () => 'repeat the call; GET /ready says what does not work',
};

/** What the caller of this request can do about an error of this kind. */
export function nextStep(kind: ErrorKind, request: FastifyRequest): string {
  return STEPS[kind](request);
}

/** A request that is valid, else where it is described. */
export function exampleOf(request: FastifyRequest): string {
  const { method, url = '' } = request.routeOptions;
  const schema: FastifySchema = request.routeOptions.schema ?? {};
  const example = schema.body instanceof z.ZodType ? schema.body.meta()?.['example'] : undefined;
  const text = JSON.stringify(example) ?? '';
  if (text === '' || text.length > MAX_EXAMPLE) return `${documentOf(request)} describes this call`;
  return `for example: ${[method].flat()[0]} ${url.replaceAll(/:(\w+)/g, '{$1}')} ${text}`;
}

/** The route that lists what an unknown id could have been. */
function listOf(request: FastifyRequest): string | undefined {
  const { url = '' } = request.routeOptions;
  const at = url.indexOf('/:');
  if (at < 0) return undefined;
  const list = url.slice(0, at);
  return request.server.hasRoute({ method: 'GET', url: list }) ? `GET ${list} lists those that exist` : undefined;
}

function documentOf({ url }: FastifyRequest): string {
  return url.startsWith('/v1/') ? 'GET /v1/openapi.json' : 'GET /v2/openapi.json';
}

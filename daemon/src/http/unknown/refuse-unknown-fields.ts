import { Readable } from 'node:stream';
import type { App } from '@sandbox/api/http/app-types.ts';
import { ValidationFailure } from '@sandbox/api/http/validation.ts';
import type { FastifyRequest, FastifySchema } from 'fastify';
import { z } from 'zod';
import { unknownFields } from './known-fields.ts';
import { nearestField } from './nearest-field.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Unknown fields of requests to this route are ignored, and named in the `hint` of the answer. */
    namesUnknownFields?: boolean;
  }
}

/** Fields with these names in front are for others: proxies, trackers, the client itself. */
const FOREIGN = /^(?:x-|_|utm_)/i;
const CREDENTIALS: ReadonlySet<string> = new Set(['api_key', 'ticket']);
/** Unknown fields that an answer names; names of known ones if none is near. */
const MAX_NAMED = 20;

const NOTHING = z.object({});

type Part = 'body' | 'querystring';

interface Located {
  readonly part: Part;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const hints = new WeakMap<FastifyRequest, string>();

/**
 * Responds with 422 to a request to a route of this scope with a field that its schemas do not name; a route whose
 * configuration says `namesUnknownFields` is served, and the `hint` of its answer names the fields.
 * @param isStrict false: unknown fields are ignored on every other route
 */
export function refuseUnknownFields(scope: App, isStrict: boolean): void {
  scope.addHook('preValidation', (request, _reply, done) => {
    const isNamed = request.routeOptions.config?.namesUnknownFields === true;
    const found = isStrict || isNamed ? unknownIn(request) : [];
    const [first] = found;
    if (first === undefined) {
      done();
    } else if (isNamed) {
      hints.set(request, `ignored: ${found.map(({ message }) => message).join('; ')}`);
      done();
    } else {
      const issuesOf = (part: Part) =>
        found
          .filter((field) => field.part === part)
          .map(({ path, message }) => ({ code: 'unrecognized_keys' as const, keys: [], path: [...path], message }));
      done(new ValidationFailure(first.part, issuesOf(first.part)));
    }
  });
  scope.addHook('onSend', (request, reply, payload, done) => {
    const hint = hints.get(request);
    done(null, hint === undefined || !isJson(reply.getHeader('content-type')) ? payload : withHint(payload, hint));
  });
}

/** Marks the routes that are added to this scope from here on: unknown fields are ignored and named in the answer. */
export function nameUnknownFields(scope: App): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, namesUnknownFields: true };
  });
}

function unknownIn(request: FastifyRequest): Located[] {
  const schema: FastifySchema = request.routeOptions.schema ?? {};
  const query = schemaOf(schema.querystring);
  const body = schemaOf(schema.body);
  return [...fieldsOf('querystring', query, request.query, body), ...fieldsOf('body', body, request.body, query)].slice(
    0,
    MAX_NAMED,
  );
}

function fieldsOf(part: Part, schema: z.core.$ZodType, value: unknown, other: z.core.$ZodType): Located[] {
  if (!isParsed(value)) return [];
  return unknownFields(schema, value, MAX_NAMED)
    .filter(({ path }) => !isForeign(part, path))
    .map(({ path, known }) => ({ part, path, message: messageOf(part, path, known, other) }));
}

function messageOf(part: Part, path: readonly (string | number)[], known: readonly string[], other: z.core.$ZodType) {
  const name = String(path.at(-1));
  const isElsewhere = path.length === 1 && unknownFields(other, { [name]: null }, 1).length === 0;
  if (isElsewhere) return `unknown field ${name} here; it goes into the ${part === 'body' ? 'query' : 'body'}`;
  const near = nearestField(name, known);
  if (near !== undefined) return `unknown field ${name}; did you mean ${near}?`;
  if (known.length === 0) return `unknown field ${name}; this call has no field in its ${WORDS[part]}`;
  const more = known.length > MAX_NAMED ? ', …' : '';
  if (known.length === 1) return `unknown field ${name}; the only field is ${known[0]}`;
  return `unknown field ${name}; the fields are ${known.slice(0, MAX_NAMED).join(', ')}${more}`;
}

const WORDS: Readonly<Record<Part, string>> = { body: 'body', querystring: 'query' };

function isForeign(part: Part, path: readonly (string | number)[]): boolean {
  const [name] = path;
  if (path.length !== 1 || typeof name !== 'string') return false;
  return FOREIGN.test(name) || (part === 'querystring' && CREDENTIALS.has(name));
}

function schemaOf(schema: unknown): z.core.$ZodType {
  return schema instanceof z.core.$ZodType ? schema : NOTHING;
}

/** JSON or a parsed query, not the unread stream of another body. */
function isParsed(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Readable);
}

function isJson(type: unknown): boolean {
  return typeof type === 'string' && type.startsWith('application/json');
}

function withHint(payload: unknown, hint: string): unknown {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
  const answer: unknown = JSON.parse(String(payload));
  if (typeof answer !== 'object' || answer === null || !('hint' in answer)) return payload;
  return JSON.stringify({ ...answer, hint: typeof answer.hint === 'string' ? `${answer.hint}; ${hint}` : hint });
}

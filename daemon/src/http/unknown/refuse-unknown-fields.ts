import { Readable } from 'node:stream';
import type { App } from '@sandbox/api/http/app-types.ts';
import { nullsOf } from '@sandbox/api/http/body.ts';
import { ValidationFailure } from '@sandbox/api/http/validation.ts';
import type { FastifyRequest, FastifySchema } from 'fastify';
import { z } from 'zod';
import { isForeignField, MAX_NAMED, unknownFieldMessage } from '../../core/unknown/field-message.ts';
import { unknownFields } from '../../core/unknown/known-fields.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Unknown fields of requests to this route are ignored, and named in the `hint` of the answer. */
    namesUnknownFields?: boolean;
  }
}

const NOTHING = z.object({});

type Part = 'body' | 'querystring';

interface Located {
  readonly part: Part;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Requests to routes that refuse unknown fields. */
const strict = new WeakSet<FastifyRequest>();
const hints = new WeakMap<FastifyRequest, string>();

/**
 * Responds with 422 to a request to a route of this scope with a field that its schemas do not name; a route whose
 * configuration says `namesUnknownFields` is served, and the `hint` of its answer names the fields.
 * @param isStrict false: unknown fields are ignored on every other route
 */
export function refuseUnknownFields(scope: App, isStrict: boolean): void {
  scope.addHook('preValidation', (request, _reply, done) => {
    const isNamed = request.routeOptions.config?.namesUnknownFields === true;
    if (isStrict && !isNamed) strict.add(request);
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

/**
 * Checks the name of a part of a form, whose body no schema describes.
 * @param known the parts that the call reads
 * @param isContradicted whether the form has this part twice, with two values
 * @throws ValidationFailure for an unknown part if the route refuses unknown fields, and for a contradicted one
 */
export function requireKnownPart(
  request: FastifyRequest,
  name: string,
  known: readonly string[],
  isContradicted: boolean,
): void {
  if (known.includes(name)) {
    const twice = { code: 'custom' as const, path: [name], message: 'is in the form twice, with two values' };
    if (isContradicted) throw new ValidationFailure('body', [twice], 'send the value once');
    return;
  }
  if (!strict.has(request) || isForeignField(name, true)) return;
  const query = schemaOf(request.routeOptions.schema?.querystring);
  const message = messageOf('body', [name], known, query);
  throw new ValidationFailure('body', [{ code: 'unrecognized_keys', keys: [], path: [name], message }]);
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
  const found = [
    ...fieldsOf('querystring', query, request.query, body),
    ...fieldsOf('body', body, request.body, query),
    ...fieldsOf('body', body, nullsOf(request), query),
  ];
  return found.slice(0, MAX_NAMED);
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
  return unknownFieldMessage(name, known, WORDS[part]);
}

const WORDS: Readonly<Record<Part, string>> = { body: 'body', querystring: 'query' };

function isForeign(part: Part, path: readonly (string | number)[]): boolean {
  const [name] = path;
  if (path.length !== 1 || typeof name !== 'string') return false;
  return isForeignField(name, part === 'querystring');
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

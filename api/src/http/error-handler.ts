import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { snakeCase } from '../fields/snake-case.ts';
import { type ErrorKind, SandboxError } from '../sandbox-error.ts';
import { failure } from './envelope.ts';
import { exampleOf, nextStep } from './next-step.ts';
import { ValidationFailure } from './validation.ts';
import { wireNamed } from './wire-names.ts';

const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  precondition: 412,
  too_large: 413,
  unprocessable: 422,
  capacity: 429,
  unsupported: 501,
  unavailable: 503,
  disk_full: 507,
  io: 500,
};

/** Retry-After of a 429, in seconds. */
const RETRY_AFTER = '1';

export function statusOfKind(kind: ErrorKind): number {
  return STATUS[kind];
}

/** How the errors of a surface differ from those of the other surfaces. */
export interface ErrorWording {
  /** The wire name of a service's camelCase field on this surface. */
  readonly fieldName?: (field: string) => string;
  /** The status of an error, if it differs from that of its kind. */
  readonly statusOf?: (error: SandboxError) => number | undefined;
  /** The message of an error, if it differs from its own. */
  readonly messageOf?: (error: SandboxError) => string | undefined;
  /** The data of an error, if they differ from its own; `message` is the one that is sent. */
  readonly dataOf?: (error: SandboxError, message: string) => unknown;
  /** Additional fields of the body of a 422. */
  readonly validationFields?: (issues: ValidationFailure['issues']) => Record<string, unknown>;
}

export type ErrorHandler = (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** The error handler of a surface: the only place that maps its errors to responses. */
export function handleErrors(wording: ErrorWording = {}): ErrorHandler {
  return (error, request, reply) => {
    if (error instanceof SandboxError) return answerKnown(error, request, reply, wording);
    if (error instanceof ValidationFailure) {
      const body = { ...failure(oneLine(error.message), error.hint ?? exampleOf(request)), errors: error.issues };
      return reply.code(422).send({ ...body, ...wording.validationFields?.(error.issues) });
    }
    const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500;
    if (status < 500) return reply.code(status).send(failure(oneLine(error.message), exampleOf(request)));
    request.log.error({ err: error, reqId: request.id }, 'unexpected error in a request');
    return reply.code(500).send(failure('internal error', `the log has the details under request id ${request.id}`));
  };
}

/**
 * Responds with 404 to an unknown route.
 * @param list where the routes are listed
 * @param nearest the route that the caller most likely means
 */
export function refuseUnknownRoutes(
  list: string,
  nearest: (method: string, path: string) => string | undefined = () => undefined,
) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const [path = ''] = request.url.split('?', 1);
    const near = nearest(request.method, path);
    const hint = near === undefined ? list : `did you mean ${near}? ${list}`;
    return reply.code(404).send(failure(`no such route: ${request.method} ${path}`, hint));
  };
}

function answerKnown(error: SandboxError, request: FastifyRequest, reply: FastifyReply, wording: ErrorWording) {
  const { kind, details } = error;
  const nameOf = wording.fieldName ?? snakeCase;
  const hint = details.hint ?? nextStep(kind, request);
  if (kind === 'unprocessable' && details.field !== undefined) {
    // A field that only the service can check, in the form of a 422 of the schema.
    const message = oneLine(error.messageNaming(nameOf));
    const errors = [{ location: ['body', nameOf(details.field)], message, type: 'custom' }];
    return reply.code(422).send({ ...failure(message, hint), errors, ...wording.validationFields?.(errors) });
  }
  const message = oneLine(wording.messageOf?.(error) ?? error.messageNaming(nameOf));
  const data = wording.dataOf?.(error, message) ?? wireNamed(details.data ?? null);
  const retryAfter = details.retryAfter ?? (kind === 'capacity' ? RETRY_AFTER : undefined);
  if (retryAfter !== undefined) void reply.header('retry-after', retryAfter);
  if (kind === 'unauthorized') void reply.header('www-authenticate', 'Bearer');
  return reply.code(wording.statusOf?.(error) ?? STATUS[kind]).send(failure(message, hint, data));
}

/** Joins the lines; blanks around their ends become one. */
function oneLine(message: string): string {
  if (!message.includes('\n')) return message;
  const lines = message.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorKind, SandboxError } from '../core/errors.ts';
import { FileFailure } from '../core/files/file-failure.ts';
import { failure } from './envelope.ts';
import { fileErrorData } from './files/file-error-data.ts';
import { ValidationFailure } from './validation.ts';
import { wireName, wireNamed } from './wire-names.ts';

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

/** Seconds after which a refused call may be repeated. */
const RETRY_AFTER = '1';

/** How a surface words errors beyond what all surfaces share. */
export interface ErrorWording {
  /** The name of a camelCase field of the service on this surface. */
  readonly fieldName?: (field: string) => string;
  /** The status of an error that differs from its kind's. */
  readonly statusOf?: (error: SandboxError) => number | undefined;
  /** Fields beside `errors` in the body of a 422. */
  readonly validationFields?: (issues: ValidationFailure['issues']) => Record<string, unknown>;
}

type ErrorHandler = (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** The error handler of a surface: the only place where its errors become answers. */
export function errorHandler(wording: ErrorWording = {}): ErrorHandler {
  return (error, request, reply) => {
    if (error instanceof SandboxError) return answerKnown(error, reply, wording);
    if (error instanceof ValidationFailure) {
      const body = { ...failure(oneLine(error.message)), errors: error.issues };
      return reply.code(422).send({ ...body, ...wording.validationFields?.(error.issues) });
    }
    const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500;
    if (status < 500) return reply.code(status).send(failure(oneLine(error.message)));
    request.log.error({ err: error, reqId: request.id }, 'a request failed by a defect of the service');
    return reply.code(500).send(failure('internal error', `the log tells more under request id ${request.id}`));
  };
}

export function answerUnknownRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0];
  return reply
    .code(404)
    .send(failure(`no such route: ${request.method} ${path}`, 'GET /v2/openapi.json lists the routes'));
}

function answerKnown(error: SandboxError, reply: FastifyReply, wording: ErrorWording): FastifyReply {
  const { hint = null } = error.details;
  const data = error instanceof FileFailure ? fileErrorData(error.file) : wireNamed(error.details.data ?? null);
  if (error.kind === 'capacity') void reply.header('retry-after', RETRY_AFTER);
  if (error.kind === 'unauthorized') void reply.header('www-authenticate', 'Bearer');
  const message = error.messageNaming(wording.fieldName ?? wireName);
  return reply.code(wording.statusOf?.(error) ?? STATUS[error.kind]).send(failure(oneLine(message), hint, data));
}

function oneLine(message: string): string {
  return message.replaceAll(/\s*\n\s*/g, ' ');
}

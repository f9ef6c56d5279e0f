import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorKind, SandboxError } from '../core/errors.ts';
import { FileFailure } from '../core/files/file-failure.ts';
import { failure } from './envelope.ts';
import { ValidationFailure } from './validation.ts';

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

/** Every error becomes an answer here and nowhere else. */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof SandboxError) return answerKnown(error, reply, statusOf(error, request));
  if (error instanceof ValidationFailure) return answerInvalid(error, request, reply);
  const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500;
  if (status < 500) {
    return reply.code(status).send(failure(oneLine(error.message)));
  }
  request.log.error({ err: error, reqId: request.id }, 'a request failed by a defect of the service');
  return reply.code(500).send(failure('internal error', `the log tells more under request id ${request.id}`));
}

export function answerUnknownRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0];
  return reply
    .code(404)
    .send(failure(`no such route: ${request.method} ${path}`, 'GET /v2/openapi.json lists the routes'));
}

function answerKnown(error: SandboxError, reply: FastifyReply, status: number): FastifyReply {
  const { data = null, hint = null } = error.details;
  if (error.kind === 'capacity') void reply.header('retry-after', RETRY_AFTER);
  if (error.kind === 'unauthorized') void reply.header('www-authenticate', 'Bearer');
  return reply.code(status).send(failure(oneLine(error.message), hint, data));
}

/** Clients of 1.x look into the answer of a file operation, not at its status; only a download has no such answer. */
function statusOf(error: SandboxError, { routeOptions: { url = '' } }: FastifyRequest): number {
  const isAnswer = error instanceof FileFailure && url.startsWith('/v1/file/') && url !== '/v1/file/download';
  return isAnswer ? 200 : STATUS[error.kind];
}

function answerInvalid(error: ValidationFailure, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const body = { ...failure(oneLine(error.message)), errors: error.issues };
  if (!request.url.startsWith('/v1/')) return reply.code(422).send(body);
  const detail = error.issues.map(({ location, message, type }) => ({ loc: location, msg: message, type }));
  return reply.code(422).send({ ...body, detail });
}

function oneLine(message: string): string {
  return message.replaceAll(/\s*\n\s*/g, ' ');
}

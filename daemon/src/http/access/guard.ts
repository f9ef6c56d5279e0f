import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SandboxError } from '../../core/errors.ts';
import type { App } from '../app-types.ts';
import type { AccessDecision, AccessRequest, Gate } from './gate.ts';

const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';

/** Lets nobody past who may not pass. Runs before anything else of a request is looked at. */
export function guard(app: App, gate: Gate, isTrusted: (address: string) => boolean): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origin !== undefined && gate.origins.isListed(origin)) {
      allowOrigin(reply, origin);
      if (isPreflight(request.method, request.headers)) {
        answerPreflight(request, reply);
        return;
      }
    }
    if (request.routeOptions.url === '/internal/auth') {
      done();
      return;
    }
    const decision = gate.judge(accessRequestOf(request, isTrusted));
    done(decision.admitted ? undefined : refusal(decision));
  });
}

/** The request itself, as the gate sees it. */
export function accessRequestOf(request: FastifyRequest, isTrusted: (address: string) => boolean): AccessRequest {
  return {
    method: request.method,
    target: request.raw.url ?? '',
    upgrade: request.headers.upgrade !== undefined,
    headers: request.headers,
    fromTrustedProxy: isTrusted(request.socket.remoteAddress ?? ''),
  };
}

export function refusal(decision: AccessDecision & { admitted: false }): SandboxError {
  return new SandboxError(decision.kind, decision.message, { hint: decision.hint });
}

/** The CORS protocol (Fetch standard §3.3) for the origins that the operator listed. */
function allowOrigin(reply: FastifyReply, origin: string): void {
  void reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'x-request-id, etag, content-range, content-disposition, retry-after',
    vary: 'Origin',
  });
}

/** A browser's question whether it may ask (Fetch standard §3.3.2). */
export function isPreflight(method: string, headers: IncomingHttpHeaders): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** For an origin that is listed, and whose answers say so already. */
export function answerPreflight(request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .code(204)
    .headers({
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '',
      'access-control-max-age': PREFLIGHT_SECONDS,
    })
    .send();
}

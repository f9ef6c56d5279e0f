import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody } from '@sandbox/api/http/envelope.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { FastifyRequest } from 'fastify';
import { missingScope } from '../../../core/access/scopes.ts';
import { credentialOf, mayAlso } from '../../../http/access/guard.ts';
import { RawAnswer } from '../../../http/openapi/raw-body.ts';
import { acceptWebSocket } from '../../../http/streams/websocket.ts';
import { V1_ERRORS } from '../../../http/v1/answers.ts';
import type { PtyService } from '../pty-service.ts';
import { attach, attachAnonymous } from '../viewer/attach.ts';
import { AnonymousQuery } from '../wire/schemas.ts';
import { attachOptions, requireId } from '../wire/wire.ts';

/** @throws SandboxError `forbidden` for a key that makes no sessions */
function requireMaker(request: FastifyRequest): void {
  const missing = missingScope(credentialOf(request), 'control');
  if (missing) throw new SandboxError('forbidden', missing.message, { hint: missing.hint });
}

/** The WebSocket of 1.x; its first message is `session_id`. */
export function socketRoutesV1(app: App, service: PtyService): void {
  app.get('/shell/ws', {
    schema: {
      tags: ['shell'],
      operationId: 'attachShell',
      summary: 'Attach to a shell session, or to a new one (WebSocket)',
      querystring: AnonymousQuery,
      response: { 101: RawAnswer, ...V1_ERRORS, 426: ErrorBody },
    },
    handler: async (request, reply) => {
      const { query } = request;
      const id = query.session_id ?? query.id;
      requireId(id, query);
      if (id === undefined) requireMaker(request);
      const readonly = query.readonly || !mayAlso(request, 'control');
      const options = { ...attachOptions(query), readonly, announce: true };
      await acceptWebSocket(request, reply, (port) =>
        id !== undefined ? attach(service, id, port, options) : attachAnonymous(service, port, options),
      );
    },
  });
}

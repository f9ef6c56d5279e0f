import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody } from '@sandbox/api/http/envelope.ts';
import { RawAnswer } from '../../../http/openapi/raw-body.ts';
import { acceptWebSocket } from '../../../http/streams/websocket.ts';
import { V1_ERRORS } from '../../../http/v1/answers.ts';
import type { PtyService } from '../pty-service.ts';
import { attach, attachAnonymous } from '../viewer/attach.ts';
import { AnonymousQuery } from '../wire/schemas.ts';
import { attachOptions, requireId } from '../wire/wire.ts';

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
      const options = { ...attachOptions(query), announce: true };
      await acceptWebSocket(request, reply, (port) =>
        id !== undefined ? attach(service, id, port, options) : attachAnonymous(service, port, options),
      );
    },
  });
}

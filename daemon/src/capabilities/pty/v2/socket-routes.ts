import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { oneValue } from '@sandbox/api/http/fields/one-value.ts';
import { z } from 'zod';
import { mayAlso } from '../../../http/access/guard.ts';
import { RawAnswer } from '../../../http/openapi/raw-body.ts';
import { acceptWebSocket } from '../../../http/streams/websocket.ts';
import type { PtyService } from '../pty-service.ts';
import { attach, attachAnonymous } from '../viewer/attach.ts';
import { AnonymousQueryV2, AttachQuery } from '../wire/schemas.ts';
import { attachOptions, requireId } from '../wire/wire.ts';

const tags = ['terminals'];
const response = { 101: RawAnswer, ...V2_ERRORS, 426: ErrorBody };

export function socketRoutesV2(app: App, service: PtyService): void {
  app.get('/pty/sessions/:id/ws', {
    schema: {
      tags,
      operationId: 'attachTerminal',
      summary: 'Attach to a terminal (WebSocket)',
      params: z.object({ id: z.string().meta({ examples: ['work'] }) }),
      querystring: AttachQuery,
      response,
    },
    handler: (request, reply) =>
      acceptWebSocket(request, reply, (port) => {
        const options = attachOptions(request.query);
        const readonly = options.readonly || !mayAlso(request, 'control');
        return attach(service, request.params.id, port, { ...options, readonly });
      }),
  });

  app.get('/pty/ws', {
    schema: {
      tags,
      operationId: 'openAnonymousTerminal',
      summary: 'A shell that lives as long as its WebSocket',
      querystring: AnonymousQueryV2,
      response,
    },
    handler: async (request, reply) => {
      const { query } = request;
      const id = oneValue({ session_id: query.session_id, id: query.id }, 'querystring');
      requireId(id, query);
      const cwd = service.sessions.resolve(query);
      await acceptWebSocket(request, reply, (port) =>
        id !== undefined
          ? attach(service, id, port, attachOptions(query))
          : attachAnonymous(service, port, { ...attachOptions(query), cwd }),
      );
    },
  });
}

import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { RawAnswer } from '../../../http/openapi/raw-body.ts';
import { acceptWebSocket, asksForWebSocket, refuseWithoutUpgrade } from '../../../http/streams/websocket.ts';
import type { PortService } from '../port-service.ts';

/** 1 to 65535, so that the document says what is taken. */
const PORT = /^(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/;

const PortParams = z.object({
  port: z
    .string()
    .regex(PORT, 'expected a port from 1 to 65535')
    .meta({ examples: ['3000'] }),
});

export function portsV2(app: App, service: PortService): void {
  app.get('/ports/:port/connect', {
    schema: {
      tags: ['ports'],
      operationId: 'connectPort',
      summary: 'Connect to a TCP port of the sandbox (WebSocket)',
      description:
        `Each binary message is bytes of the connection, in either direction. The text message {"type":"eof"} is the end
of one direction. Only programs that listen on the loopback of the sandbox are reached, and none of the service's
own.`.replaceAll('\n', ' '),
      params: PortParams,
      response: { 101: RawAnswer, ...V2_ERRORS, 426: ErrorBody, 429: ErrorBody, 503: ErrorBody },
    },
    handler: async (request, reply) => {
      if (!asksForWebSocket(request.raw)) return refuseWithoutUpgrade(reply);
      using connection = await service.connect(Number(request.params.port));
      await acceptWebSocket(request, reply, (port) => connection.serve(port));
    },
  });
}

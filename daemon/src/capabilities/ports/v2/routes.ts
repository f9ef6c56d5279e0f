import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { RawAnswer } from '../../../http/openapi/raw-body.ts';
import { acceptWebSocket, asksForWebSocket, refuseWithoutUpgrade } from '../../../http/streams/websocket.ts';
import type { PortService } from '../port-service.ts';

function isPort(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

const PortParams = z.object({
  port: z
    .string()
    .refine(isPort, 'expected a port from 1 to 65535')
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

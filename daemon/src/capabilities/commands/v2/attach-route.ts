import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { RawAnswer } from '../../../http/openapi/raw-body.ts';
import { acceptWebSocket } from '../../../http/streams/websocket.ts';
import { MAX_FRAME_BYTES } from '../attach/attach-frames.ts';
import type { CommandService } from '../command-service.ts';
import { AttachQuery } from '../wire/schemas.ts';

const AttachParams = z.object({ command_id: z.string().meta({ examples: ['7d0e3c2a-5b1f-4c8e-9a55-0f6d2b9c1e47'] }) });

export function attachRouteV2(app: App, service: CommandService): void {
  app.get('/commands/:command_id/attach', {
    schema: {
      tags: ['commands'],
      operationId: 'attachCommand',
      summary: 'Attach to stdin, stdout and stderr of a command (WebSocket)',
      description:
        `Binary frames of at most 1 MiB: a byte that names the stream (0 stdin, 1 stdout, 2 stderr, 3 JSON control),
eight bytes with the offset of the data in it, big-endian, and the data. The command continues when the client leaves,
and a client that attaches again with the offsets it has reached misses nothing.`.replaceAll('\n', ' '),
      params: AttachParams,
      querystring: AttachQuery,
      response: { 101: RawAnswer, ...V2_ERRORS, 409: ErrorBody, 426: ErrorBody },
    },
    handler: async (request, reply) => {
      const { stdout, stderr, write } = request.query;
      using attachment = service.attach(request.params.command_id, { from: { stdout, stderr }, write });
      await acceptWebSocket(request, reply, (port) => attachment.serve(port), MAX_FRAME_BYTES);
    },
  });
}

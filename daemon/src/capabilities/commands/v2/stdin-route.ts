import type { Readable } from 'node:stream';
import type { App } from '@sandbox/api/http/app-types.ts';
import { acceptRawBodies, isRawBody, piecesOf } from '@sandbox/api/http/body.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { QueryFlag } from '../../../http/fields.ts';
import { inputBytes } from '../../../http/files/input-bytes.ts';
import type { CommandService } from '../command-service.ts';
import { StdinBody } from '../wire/schemas.ts';

const Written = z
  .object({ command_id: z.string(), bytes_written: z.int(), eof: z.boolean() })
  .meta({ id: 'CommandInputWritten' });
const StdinParams = z.object({ command_id: z.string().meta({ examples: ['7d0e3c2a-5b1f-4c8e-9a55-0f6d2b9c1e47'] }) });
const RawInput = z.custom<Readable>(isRawBody, 'expected a JSON object or an application/octet-stream body');
const StdinQuery = z.object({
  eof: QueryFlag.default(false).meta({ description: 'Close stdin after a raw body.' }),
});

export function stdinRouteV2(app: App, service: CommandService): void {
  void app.register((scope: App, _options, done) => {
    acceptRawBodies(scope);
    scope.post('/commands/:command_id/stdin', {
      schema: {
        tags: ['commands'],
        operationId: 'writeCommandStdin',
        summary: 'Write to the stdin of a command, from JSON or as a raw stream',
        consumes: ['application/json', 'application/octet-stream'],
        params: StdinParams,
        querystring: StdinQuery,
        body: z.union([RawInput, StdinBody]),
        response: { 200: envelopeOf(Written), ...V2_ERRORS, 409: ErrorBody, 503: ErrorBody },
      },
      handler: async ({ params: { command_id }, query, body }, reply) => {
        const eof = isRawBody(body) ? query.eof : body.eof;
        const written = await service.writeStdin(command_id, chunksOf(body), { eof, gone: clientGone(reply) });
        return ok({ command_id, bytes_written: written, eof }, `${written} bytes written`);
      },
    });
    done();
  });
}

function chunksOf(body: Readable | z.infer<typeof StdinBody>): AsyncIterable<Buffer> | Iterable<Buffer> {
  if (isRawBody(body)) return piecesOf(body);
  return body.input === '' ? [] : [inputBytes(body)];
}

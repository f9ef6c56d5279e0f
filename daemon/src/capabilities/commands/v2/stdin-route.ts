import type { Readable } from 'node:stream';
import type { App } from '@sandbox/api/http/app-types.ts';
import { acceptRawBodies, isRawBody, piecesOf } from '@sandbox/api/http/body.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { oneValue } from '@sandbox/api/http/fields/one-value.ts';
import { z } from 'zod';
import { QueryFlag } from '../../../http/fields.ts';
import { inputBytes } from '../../../http/files/input-bytes.ts';
import type { CommandService } from '../command-service.ts';
import { type StdinWritten, stdinHint } from '../run/command-stdin.ts';
import { StdinBody } from '../wire/schemas.ts';

const Written = z
  .object({
    command_id: z.string(),
    bytes_written: z.int().meta({ description: 'Bytes of this call that were taken; they outlive the daemon.' }),
    stdin_bytes: z.int().meta({ description: 'Bytes of all calls: the offset of the next byte.' }),
    eof: z.boolean().meta({ description: 'Stdin was closed after the input.' }),
  })
  .meta({ id: 'CommandInputWritten' });
const StdinParams = z.object({ command_id: z.string().meta({ examples: ['7d0e3c2a-5b1f-4c8e-9a55-0f6d2b9c1e47'] }) });
const RawInput = z.custom<Readable>(isRawBody, 'expected a JSON object or an application/octet-stream body');
const StdinQuery = z.object({
  eof: QueryFlag.optional().meta({ description: 'Close stdin after the body.' }),
});

export function stdinRouteV2(app: App, service: CommandService): void {
  void app.register((scope: App, _options, done) => {
    acceptRawBodies(scope);
    scope.post('/commands/:command_id/stdin', {
      schema: {
        tags: ['commands'],
        operationId: 'writeCommandStdin',
        summary: 'Write to the stdin of a command',
        description: 'From JSON or as a raw stream.',
        consumes: ['application/json', 'application/octet-stream'],
        params: StdinParams,
        querystring: StdinQuery,
        body: z.union([RawInput, StdinBody]),
        response: { 200: envelopeOf(Written), ...V2_ERRORS, 409: ErrorBody, 429: ErrorBody, 503: ErrorBody },
      },
      handler: async ({ params: { command_id }, query, body }, reply) => {
        if (isRawBody(body)) {
          const terms = { eof: query.eof ?? false, gone: clientGone(reply) };
          return writtenAnswer(command_id, await service.writeStdin(command_id, piecesOf(body), terms), null);
        }
        const bytes = body.input === '' ? Buffer.alloc(0) : inputBytes(body);
        const terms = {
          eof: oneValue({ eof: query.eof, 'eof in the body': body.eof }, 'querystring') ?? false,
          offset: body.offset,
        };
        const written = await service.offerStdin(command_id, bytes, terms);
        return writtenAnswer(command_id, written, stdinHint(written, bytes.length));
      },
    });
    done();
  });
}

function writtenAnswer(command_id: string, { bytes, total, eof }: StdinWritten, hint: string | null) {
  const data = { command_id, bytes_written: bytes, stdin_bytes: total, eof };
  return { ...ok(data, `${bytes} bytes written`), hint };
}

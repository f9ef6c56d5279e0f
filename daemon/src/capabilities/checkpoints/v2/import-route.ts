import { Readable } from 'node:stream';
import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { acceptAnyBody, isRawBody, piecesOf } from '@sandbox/api/http/body.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { Account } from '../../../http/fields.ts';
import { FILE_ERRORS, OptionalDirectoryFields, shellPathOf } from '../../../http/files/file-fields.ts';
import { RawBody } from '../../../http/openapi/raw-body.ts';
import type { CheckpointService } from '../checkpoint-service.ts';
import { Checkpoint, Label } from '../wire/schemas.ts';
import { checkpointData } from '../wire/wire.ts';

const ImportQuery = z.object({
  ...OptionalDirectoryFields,
  user: Account.optional().meta({ description: 'Whose home is the default.' }),
  label: Label.optional(),
});

export function importRoute(app: App, service: CheckpointService): void {
  void app.register((scope: App, _options, done) => {
    acceptAnyBody(scope);
    scope.post('/checkpoints/import', {
      schema: {
        tags: ['checkpoints'],
        operationId: 'importCheckpoint',
        summary: 'A tar as one',
        description:
          'The body is a tar archive, plain or gzip, of any content type, such as the export of a checkpoint. The ' +
          'directory has to exist and is not changed: a restore makes it what the archive has. At most 4 GiB and ' +
          '1,000,000 entries.',
        consumes: ['application/octet-stream'],
        querystring: ImportQuery,
        body: RawBody,
        response: { 200: envelopeOf(Checkpoint), ...FILE_ERRORS, 429: ErrorBody, 501: ErrorBody, 503: ErrorBody },
      },
      handler: async ({ body, query: { user, label, ...named }, headers }, reply) => {
        const hasPath = named.path !== undefined || named.path_b64 !== undefined;
        const path = hasPath ? shellPathOf(service.paths, named, 'import', { user }) : undefined;
        const source: AsyncIterable<Buffer> = isRawBody(body) ? piecesOf(body) : Readable.from([]);
        const length = Number(headers['content-length'] ?? 0);
        const terms = { path, user, length, label: label ?? null, gone: clientGone(reply) };
        const record = await service.importArchive(source, terms);
        return ok(checkpointData(record), `checkpoint ${record.id} of ${counted(record.files, 'file')}`);
      },
    });
    done();
  });
}

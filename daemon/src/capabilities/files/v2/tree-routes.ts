import { Readable } from 'node:stream';
import type { App } from '@sandbox/api/http/app-types.ts';
import { acceptAnyBody, isRawBody, piecesOf } from '@sandbox/api/http/body.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { nameOf, shownPath } from '../../../core/files/file-path.ts';
import { bytesType } from '../../../http/answers/bytes-type.ts';
import { Account, QueryFlag } from '../../../http/fields.ts';
import {
  DirectoryFields,
  FILE_ERRORS,
  NamedPath,
  pathFields,
  requirePath,
  shellPathOf,
  UserField,
} from '../../../http/files/file-fields.ts';
import { RawAnswer, RawBody } from '../../../http/openapi/raw-body.ts';
import { sendStream } from '../../../http/streams/send-stream.ts';
import type { FileService } from '../file-service.ts';

const tags = ['files'];

const ExportQuery = z
  .object({
    ...DirectoryFields,
    exclude: z
      .union([z.string().min(1), z.array(z.string().min(1))])
      .default([])
      .transform((patterns) => [patterns].flat())
      .meta({ description: 'Patterns of what to leave out, repeated; one without / goes by the name alone.' }),
    user: Account.optional(),
  })
  .check(requirePath('path'));

const ImportQuery = z
  .object({
    ...DirectoryFields,
    ...UserField,
    mode: z
      .enum(['rename', 'merge'])
      .optional()
      .meta({ description: 'rename: 409 if the target exists. Unset: rename if it does not exist, else merge.' }),
    keep_owners: QueryFlag.default(false).meta({
      description: 'Keep the owners that the archive names, if the daemon runs as root.',
    }),
  })
  .check(requirePath('path'));

const TreeImported = z
  .object({
    ...NamedPath,
    mode: z.enum(['rename', 'merge']).meta({ description: 'rename: the target was not there and appeared whole.' }),
    entries: z.int(),
    bytes: z.int(),
    skipped_count: z.int().meta({ description: 'FIFOs, devices and entries of unknown types.' }),
    skipped: z.array(z.object({ name: z.string(), type: z.string() })).meta({ description: 'The first 100.' }),
  })
  .meta({ id: 'TreeImported' });

export function treeRoutesV2(app: App, files: FileService): void {
  app.get('/fs/tree', {
    schema: {
      tags,
      operationId: 'exportTree',
      summary: 'A directory as a tar stream',
      description: 'Compressed where Accept-Encoding has gzip. FIFOs, sockets and devices are left out.',
      produces: ['application/x-tar', 'application/octet-stream'],
      querystring: ExportQuery,
      response: { 200: RawAnswer, ...FILE_ERRORS },
    },
    handler: async ({ query, headers, method }, reply) => {
      const path = shellPathOf(files.paths, query, 'export', query);
      files.requireCaller(query);
      const gzip = acceptsGzip(headers['accept-encoding']);
      void reply.header('vary', 'accept-encoding');
      const name = encodeURIComponent(`${shownPath(nameOf(path)).toWellFormed() || 'root'}.tar`);
      const pieces = await files.exportTree(path, { exclude: query.exclude, gzip });
      if (gzip) void reply.header('content-encoding', 'gzip');
      void reply.header('content-disposition', `attachment; filename*=UTF-8''${name}`);
      if (method === 'HEAD') await pieces.return(undefined);
      return await sendStream(reply, bytesType(headers.accept, 'application/x-tar'), () => pieces);
    },
  });

  void app.register((scope: App, _options, done) => {
    acceptAnyBody(scope);
    scope.put('/fs/tree', {
      schema: {
        tags,
        operationId: 'importTree',
        summary: 'Extract a tar archive into a directory',
        description:
          'The body is a tar archive, plain or gzip, of any content type. Names with .., absolute names and links that ' +
          'leave the target are refused, and then nothing of it is written. At most 4 GiB and 100,000 entries.',
        consumes: ['application/octet-stream'],
        querystring: ImportQuery,
        body: RawBody,
        response: { 200: envelopeOf(TreeImported), ...FILE_ERRORS },
      },
      handler: async ({ body, query, headers }) => {
        const path = shellPathOf(files.paths, query, 'import', query);
        const source: AsyncIterable<Buffer> = isRawBody(body) ? piecesOf(body) : Readable.from([]);
        const terms = {
          mode: query.mode,
          keepOwners: query.keep_owners,
          length: Number(headers['content-length'] ?? 0),
        };
        const { mode, entries, bytes, skippedCount, skipped } = await files.importTree(path, source, terms, query);
        const data = { ...pathFields(path), mode, entries, bytes, skipped_count: skippedCount, skipped: [...skipped] };
        return ok(data, `${entries} entries extracted to ${data.path}`);
      },
    });
    done();
  });
}

/** RFC 9110 §12.5.3; a weight of 0 forbids it. */
function acceptsGzip(header: string | string[] | undefined): boolean {
  const codings = [header ?? ''].flat().join(',').split(',');
  return codings.some((coding) => {
    const [name = '', ...parameters] = coding.split(';').map((part) => part.trim().toLowerCase());
    return (name === 'gzip' || name === 'x-gzip') && !parameters.some((weight) => /^q=0(?:\.0*)?$/.test(weight));
  });
}

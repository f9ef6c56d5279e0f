import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody } from '@sandbox/api/http/envelope.ts';
import { mimeTypeOf } from '@sandbox/program/mime-types.ts';
import { z } from 'zod';
import { shownPath } from '../../../core/files/file-path.ts';
import { bytesType } from '../../../http/answers/bytes-type.ts';
import { Account } from '../../../http/fields.ts';
import { FILE_ERRORS, PathFields, requirePath, shellPathOf } from '../../../http/files/file-fields.ts';
import { sendFile } from '../../../http/files/send-file.ts';
import { RawAnswer } from '../../../http/openapi/raw-body.ts';
import type { FileService } from '../file-service.ts';
import { extensionOf } from '../names.ts';
import { ChangePolicyField } from '../wire/schemas.ts';

const DownloadQuery = z
  .object({ ...PathFields, change_policy: ChangePolicyField, user: Account.optional() })
  .check(requirePath('path'));

export function downloadRouteV2(app: App, files: FileService): void {
  app.get('/fs/download', {
    schema: {
      tags: ['files'],
      operationId: 'downloadFile',
      summary: 'Download a file, or a range of it',
      description: 'Honours Range, If-Range, If-Match, If-None-Match, If-Modified-Since and If-Unmodified-Since.',
      produces: ['application/octet-stream', '*/*'],
      querystring: DownloadQuery,
      response: { 200: RawAnswer, 206: RawAnswer, 304: RawAnswer, ...FILE_ERRORS, 416: ErrorBody },
    },
    handler: async (request, reply) => {
      const path = shellPathOf(files.paths, request.query, 'download', request.query);
      files.requireCaller(request.query);
      using download = await files.download(path, request.query.change_policy);
      const { etag, modified, size, name } = download;
      const contentType = bytesType(request.headers.accept, mimeTypeOf(extensionOf(shownPath(path))));
      const read = (start: number, end: number) => download.read(start, end);
      return await sendFile(request, reply, { etag, modified, size, name, contentType, read });
    },
  });
}

import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { requirePath } from '../../../http/files/file-fields.ts';
import { sendFile } from '../../../http/files/send-file.ts';
import { RawAnswer } from '../../../http/openapi/raw-body.ts';
import { PathFieldsV1, pathOf, V1_ERRORS } from '../../../http/v1/answers.ts';
import { answerByStatus } from '../../../http/v1/error-handlers.ts';
import type { FileService } from '../file-service.ts';
import { ChangePolicyField } from '../wire/schemas.ts';

const DownloadQueryV1 = z.object({ ...PathFieldsV1, change_policy: ChangePolicyField }).check(requirePath('path'));

/** The one file route of 1.x that answers failures with an error status. */
export function downloadRouteV1(app: App, files: FileService): void {
  app.get('/file/download', {
    errorHandler: answerByStatus,
    schema: {
      tags: ['file'],
      operationId: 'downloadFile',
      summary: 'Download a file, or a range of it',
      produces: ['application/octet-stream'],
      querystring: DownloadQueryV1,
      response: {
        200: RawAnswer,
        206: RawAnswer,
        304: RawAnswer,
        ...V1_ERRORS,
        409: ErrorBody,
        412: ErrorBody,
        413: ErrorBody,
        416: ErrorBody,
        500: ErrorBody,
      },
    },
    handler: async (request, reply) => {
      const path = pathOf(request.query, 'download');
      using download = await files.download(path, request.query.change_policy);
      const { etag, modified, size, name } = download;
      const read = (start: number, end: number) => download.read(start, end);
      const contentType = 'application/octet-stream';
      return await sendFile(request, reply, { etag, modified, size, name, contentType, read });
    },
  });
}

import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { shownPath } from '../../../core/files/file-path.ts';
import { acceptForms, readForm } from '../../../http/files/multipart.ts';
import { FileForm } from '../../../http/openapi/raw-body.ts';
import { orFileError, V1_ERRORS } from '../../../http/v1/answers.ts';
import type { FileService } from '../file-service.ts';
import { UploadResult } from './schemas.ts';

export function uploadRouteV1(app: App, files: FileService): void {
  void app.register((scope: App, _options, done) => {
    acceptForms(scope);
    scope.post('/file/upload', {
      schema: {
        tags: ['file'],
        operationId: 'uploadFile',
        summary: 'Upload a file as a form',
        consumes: ['multipart/form-data'],
        body: FileForm,
        response: { 200: envelopeOf(orFileError(UploadResult)), ...V1_ERRORS },
      },
      handler: async ({ body, headers }) => {
        const { path, size, sha256 } = await files.uploadForm((take) => readForm(body, headers, { take }), {});
        const data = { file_path: shownPath(path), file_size: size, success: true, sha256 };
        return ok(data, `${counted(size, 'byte')} uploaded to ${data.file_path}`);
      },
    });
    done();
  });
}

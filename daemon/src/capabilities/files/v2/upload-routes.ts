import { Readable } from 'node:stream';
import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { acceptAnyBody, isRawBody, piecesOf } from '@sandbox/api/http/body.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { located } from '@sandbox/api/http/validation.ts';
import { z } from 'zod';
import { badRequest } from '../../../core/files/file-failure.ts';
import { type PathInput, shownPath } from '../../../core/files/file-path.ts';
import { QueryFlag } from '../../../http/fields.ts';
import { FILE_ERRORS, PathFields, requirePath, shellPathOf, UserField } from '../../../http/files/file-fields.ts';
import { acceptForms, readForm } from '../../../http/files/multipart.ts';
import { contentRangeOf } from '../../../http/files/ranges.ts';
import { FileForm, RawBody } from '../../../http/openapi/raw-body.ts';
import { requireKnownPart } from '../../../http/unknown/refuse-unknown-fields.ts';
import type { FileService } from '../file-service.ts';
import { FileUploaded, ModeText } from '../wire/schemas.ts';
import { preconditionOf, uploadedData } from '../wire/wire.ts';

const tags = ['files'];
const FORM_PARTS = ['file', 'path', 'path_b64'] as const;
const FormQuery = z.object({ ...PathFields, ...UserField });
const PutQuery = z
  .object({
    ...PathFields,
    ...UserField,
    mode: ModeText.optional(),
    restart: QueryFlag.default(false).meta({ description: 'With Content-Range: forget what is there of the upload.' }),
  })
  .check(requirePath('path'));

export function uploadRoutesV2(app: App, files: FileService): void {
  void app.register((scope: App, _options, done) => {
    acceptForms(scope);
    scope.post('/fs/upload', {
      schema: {
        tags,
        operationId: 'uploadForm',
        summary: 'Upload a file as a form',
        description:
          'The form has a part `file`. Its path is a field of the form or of the query, by default `/tmp/<name>`.',
        consumes: ['multipart/form-data'],
        querystring: FormQuery,
        body: FileForm,
        response: { 200: envelopeOf(FileUploaded), ...FILE_ERRORS },
      },
      handler: async (request) => {
        const { body, headers, query } = request;
        const isNamed = query.path !== undefined || query.path_b64 !== undefined;
        const path = isNamed ? shellPathOf(files.paths, query, 'upload', query) : undefined;
        const terms = {
          precondition: preconditionOf(headers, undefined),
          path,
          pathOf: (input: PathInput) => files.paths.of(input, 'upload', query),
        };
        const check = (name: string, isContradicted: boolean): void =>
          requireKnownPart(request, name, FORM_PARTS, isContradicted);
        const uploaded = await located(
          files.uploadForm((take) => readForm(body, headers, { take, check }), query, terms),
          'querystring',
        );
        const message = `${counted(uploaded.size, 'byte')} uploaded to ${shownPath(uploaded.path)}`;
        return ok(uploadedData(uploaded.path, { isComplete: true, ...uploaded }), message);
      },
    });
    done();
  });

  void app.register((scope: App, _options, done) => {
    acceptAnyBody(scope);
    scope.put('/fs/upload', {
      schema: {
        tags,
        operationId: 'uploadFile',
        summary: 'Upload a file as the body, whole or in pieces',
        description:
          'With Content-Range the body is a piece, which has to begin where the last one ended; `bytes */total` asks ' +
          'how much there is. What is there is kept for an hour.',
        consumes: ['application/octet-stream'],
        querystring: PutQuery,
        body: RawBody.meta({ example: 'hello\n' }),
        response: { 200: envelopeOf(FileUploaded), ...FILE_ERRORS },
      },
      handler: async ({ body, headers, query }) => {
        const path = shellPathOf(files.paths, query, 'upload', query);
        const source: AsyncIterable<Buffer> = isRawBody(body) ? piecesOf(body) : Readable.from([]);
        const terms = { mode: query.mode, precondition: preconditionOf(headers, undefined) };
        const header = headers['content-range'];
        if (header === undefined) {
          const uploaded = await files.uploadWhole(path, source, query, terms);
          return ok(
            uploadedData(path, { isComplete: true, ...uploaded }),
            `${counted(uploaded.size, 'byte')} uploaded`,
          );
        }
        const { range, total } = contentRangeOf(header) ?? {};
        if (range === undefined && total === undefined) {
          throw badRequest(`invalid Content-Range: ${header}`, 'upload', shownPath(path), 'bytes 0-99/200');
        }
        const progress = range
          ? await files.uploadPiece(path, source, { ...range, total }, query.restart, query, terms)
          : { isComplete: false as const, size: await files.uploadedSize(path) };
        return ok(uploadedData(path, progress), `${counted(progress.size, 'byte')} received`);
      },
    });
    done();
  });
}

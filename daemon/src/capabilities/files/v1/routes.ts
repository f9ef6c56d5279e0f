import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { shownPath } from '../../../core/files/file-path.ts';
import { unreadReason } from '../../../core/files/walk/unread.ts';
import { pathFields } from '../../../http/files/file-fields.ts';
import { orFileError, pathOf, V1_ERRORS } from '../../../http/v1/answers.ts';
import { answerFileFailures } from '../../../http/v1/error-handlers.ts';
import type { FileService } from '../file-service.ts';
import { LIST_MAX } from '../read/list.ts';
import { Copied, FileStatus, OnePath } from '../wire/schemas.ts';
import { contentBytes, endsOf, includesTypes, statData } from '../wire/wire.ts';
import { downloadRouteV1 } from './download-route.ts';
import { editorRouteV1 } from './editor-route.ts';
import {
  CopyBodyV1,
  DeleteBodyV1,
  ListBody,
  ListResult,
  MkdirBodyV1,
  ReadBody,
  ReadResult,
  ReplaceBody,
  ReplaceResult,
  StatBodyV1,
  WriteBodyV1,
  WriteResult,
} from './schemas.ts';
import { uploadRouteV1 } from './upload-route.ts';
import { linesWithin, listDataV1, newlinesOf } from './wire.ts';

const tags = ['file'];

/** The routes of 1.x. A failed file operation is an answer of status 200. */
export function filesV1(app: App, files: FileService): void {
  answerFileFailures(app);
  app.post('/file/read', {
    schema: {
      tags,
      operationId: 'readFile',
      summary: 'Read a text file, or some of its lines',
      body: ReadBody,
      response: { 200: envelopeOf(orFileError(ReadResult)), ...V1_ERRORS },
    },
    handler: async ({ body }) => {
      const path = pathOf(body, 'read');
      const range = { startLine: body.start_line, endLine: body.end_line };
      const { content, lineCount } = await files.readText(path, range);
      const data = { content, line_count: linesWithin(range, lineCount), file: shownPath(path) };
      return ok(data, `read ${shownPath(path)}`);
    },
  });

  app.post('/file/write', {
    schema: {
      tags,
      operationId: 'writeFile',
      summary: 'Write a file',
      body: WriteBodyV1,
      response: { 200: envelopeOf(orFileError(WriteResult)), ...V1_ERRORS },
    },
    handler: async ({ body }) => {
      const path = pathOf(body, 'write');
      const bytes = contentBytes(newlinesOf(body), path);
      await files.write(path, { bytes, append: body.append }, { sudo: body.sudo });
      const data = { file: shownPath(path), bytes_written: bytes.length };
      return ok(data, `${counted(bytes.length, 'byte')} written to ${data.file}`);
    },
  });

  app.post('/file/replace', {
    schema: {
      tags,
      operationId: 'replaceInFile',
      summary: 'Replace every occurrence of a text',
      body: ReplaceBody,
      response: { 200: envelopeOf(orFileError(ReplaceResult)), ...V1_ERRORS },
    },
    handler: async ({ body }) => {
      const path = pathOf(body, 'replace');
      const count = await files.replace(path, body.old_str, body.new_str);
      return ok({ file: shownPath(path), replaced_count: count }, `${counted(count, 'occurrence')} replaced`);
    },
  });

  app.post('/file/list', {
    schema: {
      tags,
      operationId: 'listDirectory',
      summary: 'List a directory',
      body: ListBody,
      response: { 200: envelopeOf(orFileError(ListResult)), ...V1_ERRORS },
    },
    handler: async ({ body }) => {
      const path = pathOf(body, 'list');
      const listing = await files.list({
        path,
        recursive: body.recursive,
        maxDepth: body.max_depth === undefined ? undefined : Math.max(1, body.max_depth),
        showHidden: body.show_hidden,
        limit: LIST_MAX,
        includes: includesTypes(body.file_types),
      });
      const message = `${counted(listing.entries.length, 'entry')} in ${shownPath(path)}`;
      return { ...ok(listDataV1(path, listing, body), message), hint: unreadReason(listing.unread) ?? null };
    },
  });

  laterRoutes(app, files);
  editorRouteV1(app, files);
  downloadRouteV1(app, files);
  uploadRouteV1(app, files);
}

/** Later routes of 1.x, with the bodies of v2. */
function laterRoutes(app: App, files: FileService): void {
  app.post('/file/stat', {
    schema: {
      tags,
      operationId: 'statFile',
      summary: 'What a path stands for',
      body: StatBodyV1,
      response: { 200: envelopeOf(orFileError(FileStatus)), ...V1_ERRORS },
    },
    handler: async ({ body }) => {
      const path = pathOf(body, 'stat');
      return ok(statData(path, await files.stat(path, body.follow_symlinks)), `stat ${shownPath(path)}`);
    },
  });

  app.post('/file/mkdir', {
    schema: {
      tags,
      operationId: 'makeDirectory',
      summary: 'Make a directory',
      body: MkdirBodyV1,
      response: { 200: envelopeOf(orFileError(OnePath)), ...V1_ERRORS },
    },
    handler: async ({ body }) => {
      const path = pathOf(body, 'mkdir');
      await files.mkdir(path, body.parents, { sudo: body.sudo });
      return ok(pathFields(path), `made ${shownPath(path)}`);
    },
  });

  app.post('/file/delete', {
    schema: {
      tags,
      operationId: 'deleteFile',
      summary: 'Delete a file, a link or a directory',
      body: DeleteBodyV1,
      response: { 200: envelopeOf(orFileError(OnePath)), ...V1_ERRORS },
    },
    handler: async ({ body }) => {
      const path = pathOf(body, 'delete');
      await files.delete(path, body.recursive);
      return ok(pathFields(path), `deleted ${shownPath(path)}`);
    },
  });

  for (const operation of ['copy', 'move'] as const) {
    app.post(`/file/${operation}`, {
      schema: {
        tags,
        operationId: operation === 'copy' ? 'copyFile' : 'moveFile',
        summary: operation === 'copy' ? 'Copy a file or a directory' : 'Move a file or a directory',
        body: CopyBodyV1,
        response: { 200: envelopeOf(orFileError(Copied)), ...V1_ERRORS },
      },
      handler: async ({ body }, reply) => {
        const ends = endsOf(body);
        const [source, destination] = [pathOf(ends.from, operation), pathOf(ends.to, operation)];
        const terms = { overwrite: body.overwrite, gone: clientGone(reply) };
        const skipped = (await files[operation](source, destination, terms, { sudo: body.sudo })) ?? 0;
        const data = { source: shownPath(source), destination: shownPath(destination), skipped };
        return ok(data, `${operation === 'copy' ? 'copied' : 'moved'} to ${data.destination}`);
      },
    });
  }
}

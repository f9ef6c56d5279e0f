import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { shownPath } from '../../../core/files/file-path.ts';
import { unreadReason } from '../../../core/files/walk/unread.ts';
import { FILE_ERRORS, pathFields, shellPathOf } from '../../../http/files/file-fields.ts';
import type { FileService } from '../file-service.ts';
import { textOf } from '../read/read.ts';
import { FileList, FileStatus, FileText, ListQuery, ReadQuery, StatQuery } from '../wire/schemas.ts';
import { listData, statData } from '../wire/wire.ts';
import { changeRoutesV2 } from './change-routes.ts';
import { downloadRouteV2 } from './download-route.ts';
import { treeRoutesV2 } from './tree-routes.ts';
import { uploadRoutesV2 } from './upload-routes.ts';

const tags = ['files'];

export function filesV2(app: App, files: FileService): void {
  app.get('/fs/read', {
    schema: {
      tags,
      operationId: 'readFile',
      summary: 'Read a text file, or a part of it',
      description: 'Some of its lines, or some of its bytes.',
      querystring: ReadQuery,
      response: { 200: envelopeOf(FileText), ...FILE_ERRORS },
    },
    handler: async ({ query }) => {
      const { start_line, end_line, encoding, offset, length, user } = query;
      const path = shellPathOf(files.paths, query, 'read', query);
      files.requireCaller({ user });
      const named = { ...pathFields(path), file: shownPath(path) };
      const message = `read ${shownPath(path)}`;
      if (encoding === 'utf-8' && offset === undefined && length === undefined) {
        const { content, lineCount, etag } = await files.readText(path, { startLine: start_line, endLine: end_line });
        return ok({ ...named, content, line_count: lineCount, etag }, message);
      }
      const from = offset ?? 0;
      const { bytes, size, etag } = await files.readBytes(path, { offset: from, length });
      const whole = { ...named, line_count: 0, etag, size };
      if (encoding === 'base64') {
        return ok({ ...whole, content: bytes.toString('base64'), next_offset: from + bytes.length }, message);
      }
      const { text, skipped } = textOf(bytes, path);
      return ok({ ...whole, content: text, next_offset: from + skipped + Buffer.byteLength(text) }, message);
    },
  });

  app.get('/fs/stat', {
    schema: {
      tags,
      operationId: 'statFile',
      summary: 'What a path stands for',
      querystring: StatQuery,
      response: { 200: envelopeOf(FileStatus), ...FILE_ERRORS },
    },
    handler: async ({ query }) => {
      const path = shellPathOf(files.paths, query, 'stat', query);
      files.requireCaller(query);
      return ok(statData(path, await files.stat(path, query.follow_symlinks)), `stat ${shownPath(path)}`);
    },
  });

  app.get('/fs/list', {
    schema: {
      tags,
      operationId: 'listDirectory',
      summary: 'List a directory',
      querystring: ListQuery,
      response: { 200: envelopeOf(FileList), ...FILE_ERRORS },
    },
    handler: async ({ query }) => {
      const path = shellPathOf(files.paths, query, 'list', query);
      files.requireCaller(query);
      const { recursive, max_depth, show_hidden, cursor, limit } = query;
      const listing = await files.list({
        path,
        recursive,
        maxDepth: max_depth,
        showHidden: show_hidden,
        cursor,
        limit,
      });
      const message = `${counted(listing.entries.length, 'entry')} in ${shownPath(path)}`;
      return { ...ok(listData(path, listing), message), hint: unreadReason(listing.unread) ?? null };
    },
  });

  changeRoutesV2(app, files);
  downloadRouteV2(app, files);
  uploadRoutesV2(app, files);
  treeRoutesV2(app, files);
}

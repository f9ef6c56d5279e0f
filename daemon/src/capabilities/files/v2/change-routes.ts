import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { shownPath } from '../../../core/files/file-path.ts';
import { FILE_ERRORS, pathFields, shellPathOf, UserField } from '../../../http/files/file-fields.ts';
import { linksTo } from '../../../http/openapi/links.ts';
import type { FileService } from '../file-service.ts';
import {
  Copied,
  CopyBody,
  DeleteBody,
  EditBody,
  FileEdited,
  FileWritten,
  MkdirBody,
  OnePath,
  WriteBody,
} from '../wire/schemas.ts';
import { contentBytes, editCommand, editedData, endsOf, preconditionOf } from '../wire/wire.ts';

const tags = ['files'];
const querystring = z.object(UserField);

/** Routes that change files and directories. */
export function changeRoutesV2(app: App, files: FileService): void {
  app.post('/fs/write', {
    links: linksTo({ path: '/data/path' }, ['readFile', 'statFile', 'downloadFile']),
    schema: {
      tags,
      operationId: 'writeFile',
      summary: 'Write a file',
      description: 'If-Match and If-None-Match are honoured (412); the field if_match does the same (409).',
      querystring,
      body: WriteBody,
      response: { 200: envelopeOf(FileWritten), ...FILE_ERRORS },
    },
    handler: async ({ body, query, headers }) => {
      const path = shellPathOf(files.paths, body, 'write', query);
      const bytes = contentBytes(body, path);
      const { append, mode, atomic, if_match } = body;
      const precondition = preconditionOf(headers, if_match);
      const { etag, created } = await files.write(path, { bytes, append, mode, atomic, precondition }, query);
      const data = { ...pathFields(path), file: shownPath(path), bytes_written: bytes.length, etag, created };
      return ok(data, `${counted(bytes.length, 'byte')} written to ${shownPath(path)}`);
    },
  });

  app.post('/fs/edit', {
    schema: {
      tags,
      operationId: 'editFile',
      summary: 'Edit a text file',
      querystring,
      body: EditBody,
      response: { 200: envelopeOf(FileEdited), ...FILE_ERRORS },
    },
    handler: async ({ body, query, headers }) => {
      const path = shellPathOf(files.paths, body, 'edit', query);
      files.requireCaller(query);
      const edited = await files.edit(path, editCommand(body, path), preconditionOf(headers, body.if_match));
      return ok(editedData(path, edited), `edited ${shownPath(path)}`);
    },
  });

  app.post('/fs/mkdir', {
    schema: {
      tags,
      operationId: 'makeDirectory',
      summary: 'Make a directory',
      querystring,
      body: MkdirBody,
      response: { 200: envelopeOf(OnePath), ...FILE_ERRORS },
    },
    handler: async ({ body, query }) => {
      const path = shellPathOf(files.paths, body, 'mkdir', query);
      await files.mkdir(path, body.parents, query);
      return ok(pathFields(path), `made ${shownPath(path)}`);
    },
  });

  app.post('/fs/delete', {
    schema: {
      tags,
      operationId: 'deleteFile',
      summary: 'Delete a file, a link or a directory',
      querystring,
      body: DeleteBody,
      response: { 200: envelopeOf(OnePath), ...FILE_ERRORS },
    },
    handler: async ({ body, query }) => {
      const path = shellPathOf(files.paths, body, 'delete', query);
      files.requireCaller(query);
      await files.delete(path, body.recursive);
      return ok(pathFields(path), `deleted ${shownPath(path)}`);
    },
  });

  for (const operation of ['copy', 'move'] as const) {
    app.post(`/fs/${operation}`, {
      schema: {
        tags,
        operationId: operation === 'copy' ? 'copyFile' : 'moveFile',
        summary: operation === 'copy' ? 'Copy a file or a directory' : 'Move a file or a directory',
        querystring,
        body: CopyBody,
        response: { 200: envelopeOf(Copied), ...FILE_ERRORS },
      },
      handler: async ({ body, query }, reply) => {
        const ends = endsOf(body);
        const pathOf = (end: typeof ends.from) => shellPathOf(files.paths, end, operation, query);
        const [source, destination] = [pathOf(ends.from), pathOf(ends.to)];
        const terms = { overwrite: body.overwrite, gone: clientGone(reply) };
        const skipped = (await files[operation](source, destination, terms, query)) ?? 0;
        const data = { source: shownPath(source), destination: shownPath(destination), skipped };
        return ok(data, `${operation === 'copy' ? 'copied' : 'moved'} to ${data.destination}`);
      },
    });
  }
}

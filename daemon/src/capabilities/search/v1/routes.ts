import type { IncomingHttpHeaders } from 'node:http';
import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { systemFailure } from '../../../core/files/file-failure.ts';
import { shownPath } from '../../../core/files/file-path.ts';
import { unreadField } from '../../../http/files/unread-fields.ts';
import { orFileError, pathOf, V1_ERRORS } from '../../../http/v1/answers.ts';
import { answerFileFailures } from '../../../http/v1/error-handlers.ts';
import type { SearchService } from '../search-service.ts';
import { NAMES_MAX } from '../wire/fields.ts';
import { GrepAnswer, GrepBody } from '../wire/schemas.ts';
import { grepAnswer, grepRequest, hintOf, isTruncated } from '../wire/wire.ts';
import { FindBodyV1, FindResultV1, GlobBodyV1, GlobResultV1, SearchBodyV1, SearchResultV1 } from './schemas.ts';
import { fileSearch, fileSearchResult, globFiles, globRequest, withDotAll } from './wire.ts';

const tags = ['file'];

export function searchV1(app: App, service: SearchService): void {
  answerFileFailures(app);
  nameRoutes(app, service);

  app.post('/file/grep', {
    schema: {
      tags,
      operationId: 'grepFiles',
      summary: 'Find lines in files',
      body: GrepBody,
      response: { 200: envelopeOf(orFileError(GrepAnswer)), ...V1_ERRORS },
    },
    handler: async ({ body }, reply) => {
      const request = grepRequest(pathOf(body, 'grep'), body);
      const result = await service.grep(withDotAll(request), clientGone(reply));
      return { ...ok(grepAnswer(request, result), counted(result.matches.length, 'match')), hint: hintOf(result) };
    },
  });

  app.post('/file/search', {
    schema: {
      tags,
      operationId: 'searchFile',
      summary: 'Find lines in one file',
      body: SearchBodyV1,
      response: { 200: envelopeOf(orFileError(SearchResultV1)), ...V1_ERRORS },
    },
    handler: async ({ body, headers }, reply) => {
      const path = pathOf(body, 'search');
      if (service.isDirectory(path)) throw systemFailure('EISDIR', 'search', shownPath(path));
      const result = await service.grep(fileSearch(path, body.regex), clientGone(reply));
      const data = fileSearchResult(path, result.matches, isGeneratedSdk(headers));
      return { ...ok(data, `found ${result.matches.length} matches`), hint: hintOf(result) };
    },
  });
}

function nameRoutes(app: App, service: SearchService): void {
  app.post('/file/find', {
    schema: {
      tags,
      operationId: 'findFiles',
      summary: "Find what fits a glob of Python's, relative to a directory",
      body: FindBodyV1,
      response: { 200: envelopeOf(orFileError(FindResultV1)), ...V1_ERRORS },
    },
    handler: async ({ body }, reply) => {
      const path = pathOf(body, 'find');
      const terms = {
        pattern: body.glob,
        dialect: 'python',
        exclude: [],
        hidden: false,
        maxResults: NAMES_MAX,
      } as const;
      const { names, stop, unread } = await service.names({ path, ...terms }, clientGone(reply));
      const files = names.map((name) => shownPath(name.path));
      const message = stop === undefined ? `found ${files.length} files` : `the first ${files.length} files`;
      return { ...ok({ path: shownPath(path), files }, message), hint: hintOf({ stop, unread }) };
    },
  });

  app.post('/file/glob', {
    schema: {
      tags,
      operationId: 'globFiles',
      summary: 'Find files by a glob, with size and time',
      body: GlobBodyV1,
      response: { 200: envelopeOf(orFileError(GlobResultV1)), ...V1_ERRORS },
    },
    handler: async ({ body }, reply) => {
      const path = pathOf(body, 'glob');
      const result = await service.names(globRequest(path, body), clientGone(reply));
      const { names, total = names.length } = result;
      const files = globFiles(await service.facts(names), body);
      const truncated = isTruncated(result) || files.length < total;
      const found = { path: shownPath(path), pattern: body.pattern, files, total_count: total, truncated };
      return {
        ...ok({ ...found, ...unreadField(result.unread) }, counted(files.length, 'file')),
        hint: hintOf(result),
      };
    },
  });
}

/** The generated SDKs of 1.x send their language, the one for Go only its user agent. */
function isGeneratedSdk(headers: IncomingHttpHeaders): boolean {
  return headers['x-fern-language'] !== undefined || /^Go-http-client\//.test(headers['user-agent'] ?? '');
}

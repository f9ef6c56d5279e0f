import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { FILE_ERRORS, shellPathOf } from '../../../http/files/file-fields.ts';
import type { SearchService } from '../search-service.ts';
import { GrepAnswer, GrepBody, SearchAnswer, SearchQuery } from '../wire/schemas.ts';
import { grepAnswer, grepRequest, hintOf, searchAnswer } from '../wire/wire.ts';

const tags = ['files'];

export function searchV2(app: App, service: SearchService): void {
  app.get('/fs/search', {
    schema: {
      tags,
      operationId: 'searchFiles',
      summary: 'Find files by name',
      querystring: SearchQuery,
      response: { 200: envelopeOf(SearchAnswer), ...FILE_ERRORS },
    },
    handler: async ({ query }, reply) => {
      const request = {
        path: shellPathOf(service.paths, query, 'search'),
        pattern: query.pattern,
        dialect: 'ripgrep',
        exclude: [],
        hidden: true,
        maxResults: query.limit,
      } as const;
      const result = await service.names(request, clientGone(reply));
      return { ...ok(searchAnswer(result), counted(result.names.length, 'file')), hint: hintOf(result) };
    },
  });

  app.post('/fs/grep', {
    schema: {
      tags,
      operationId: 'grepFiles',
      summary: 'Find lines in files',
      body: GrepBody,
      response: { 200: envelopeOf(GrepAnswer), ...FILE_ERRORS },
    },
    handler: async ({ body }, reply) => {
      const request = grepRequest(shellPathOf(service.paths, body, 'grep'), body);
      const result = await service.grep(request, clientGone(reply));
      return { ...ok(grepAnswer(request, result), counted(result.matches.length, 'match')), hint: hintOf(result) };
    },
  });
}

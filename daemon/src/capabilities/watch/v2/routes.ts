import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody, envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { FILE_ERRORS, shellPathOf } from '../../../http/files/file-fields.ts';
import { linksTo } from '../../../http/openapi/links.ts';
import type { WatchService } from '../watch-service.ts';
import { watcherRoutes } from '../wire/routes.ts';
import { CreateWatchBody, PollQuery, WatchCreated, WatchEvents, WatcherParams } from '../wire/schemas.ts';
import { beginWatching, pollEvents, watcherInfo } from '../wire/wire.ts';

const tags = ['watch'];

export function watchV2(app: App, service: WatchService): void {
  watcherRoutes(app, service, { path: '/watch', tags, errors: FILE_ERRORS });

  app.post('/watch', {
    links: linksTo({ watcher_id: '/data/watcher_id' }, ['pollWatcher', 'streamWatcher', 'releaseWatcher']),
    schema: {
      tags,
      operationId: 'createWatcher',
      summary: 'Watch a directory or a file',
      description: 'Equal watchers are shared.',
      body: CreateWatchBody,
      response: { 200: envelopeOf(WatchCreated), ...FILE_ERRORS, 429: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ body }, reply) => {
      const path = shellPathOf(service.paths, body, 'watch');
      const { watcher, data } = await beginWatching(service, body, path, reply);
      return ok(data, `watching ${watcherInfo(watcher, service.backend.name).path}`);
    },
  });

  app.get('/watch/:watcher_id/poll', {
    schema: {
      tags,
      operationId: 'pollWatcher',
      summary: 'Get events after a cursor, or wait for some',
      params: WatcherParams,
      querystring: PollQuery,
      response: { 200: envelopeOf(WatchEvents), ...FILE_ERRORS },
    },
    handler: async ({ params: { watcher_id }, query }, reply) => pollEvents(service, watcher_id, query, reply),
  });
}

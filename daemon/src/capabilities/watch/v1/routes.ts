import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { nameOf, shownPath, withoutTrailingSlashes } from '../../../core/files/file-path.ts';
import { linksTo } from '../../../http/openapi/links.ts';
import { orFileError, pathOf, V1_ERRORS } from '../../../http/v1/answers.ts';
import { answerFileFailures } from '../../../http/v1/error-handlers.ts';
import type { WatchService } from '../watch-service.ts';
import { eventInfo } from '../wire/event-info.ts';
import { watcherRoutes } from '../wire/routes.ts';
import { WatchCreated, WatchEvents, WatcherParams } from '../wire/schemas.ts';
import { beginWatching, pollEvents } from '../wire/wire.ts';
import { CreateWatchBodyV1, PollBodyV1, WaitBodyV1, WaitedV1 } from './schemas.ts';

const tags = ['file'];

/** The routes of 1.x, over the same watchers as v2. */
export function watchV1(app: App, service: WatchService): void {
  answerFileFailures(app);
  watcherRoutes(app, service, { path: '/file/watch', tags, errors: V1_ERRORS });

  app.post('/file/watch', {
    links: linksTo({ watcher_id: '/data/watcher_id' }, ['pollWatcher', 'streamWatcher', 'releaseWatcher']),
    schema: {
      tags,
      operationId: 'createWatcher',
      summary: 'Watch a directory or a file',
      body: CreateWatchBodyV1,
      response: { 200: envelopeOf(orFileError(WatchCreated)), ...V1_ERRORS, 429: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ body }, reply) => {
      const { data } = await beginWatching(service, body, pathOf(body, 'watch'), reply);
      return ok(data, 'watching');
    },
  });

  app.post('/file/watch/:watcher_id/poll', {
    schema: {
      tags,
      operationId: 'pollWatcher',
      summary: 'Get the events after a cursor',
      params: WatcherParams,
      body: PollBodyV1,
      response: { 200: envelopeOf(WatchEvents), ...V1_ERRORS },
    },
    handler: async ({ params: { watcher_id }, body: { cursor, since, ...rest } }, reply) =>
      pollEvents(service, watcher_id, { ...rest, cursor: cursor ?? since ?? 0 }, reply),
  });

  app.post('/file/watch/wait', {
    schema: {
      tags,
      operationId: 'waitForChange',
      summary: 'Wait for one event at exactly a path, which need not exist',
      body: WaitBodyV1,
      response: { 200: envelopeOf(orFileError(WaitedV1)), ...V1_ERRORS, 429: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ body }, reply) => {
      const { timeout, event_types: types } = body;
      const path = pathOf(body, 'watch');
      const { root, event } = await service.wait({ path, types, timeoutMs: timeout * 1000 }, clientGone(reply));
      const relative_path = shownPath(nameOf(withoutTrailingSlashes(path)));
      return ok({ event: { ...eventInfo(root, event), relative_path } }, event.type);
    },
  });
}

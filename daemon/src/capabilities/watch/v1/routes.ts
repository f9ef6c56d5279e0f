import { z } from 'zod';
import type { App } from '../../../http/app-types.ts';
import { ErrorBody, envelopeOf, ok } from '../../../http/envelope.ts';
import { pathOf } from '../../../http/files/file-fields.ts';
import { clientGone } from '../../../http/streams/client-gone.ts';
import { sendEvents } from '../../../http/streams/sse.ts';
import { orFileError, V1_ERRORS } from '../../../http/v1/answers.ts';
import { answerFileFailures } from '../../../http/v1/error-handlers.ts';
import { settled } from '../settled.ts';
import type { WatchService } from '../watch-service.ts';
import { eventInfo } from '../wire/event-info.ts';
import {
  CreateWatchBody,
  EventsQuery,
  WatchCreated,
  WatchEvents,
  WatcherInfo,
  WatcherParams,
  WatchReleased,
} from '../wire/schemas.ts';
import { beginWatching, cursorOf, listed, polled, released, streamed } from '../wire/wire.ts';
import { PollBodyV1, WaitBodyV1, WaitedV1 } from './schemas.ts';

const tags = ['file'];

/** The routes of 1.x, over the same watchers as v2. */
export function watchV1(app: App, service: WatchService): void {
  answerFileFailures(app);
  app.post('/file/watch', {
    schema: {
      tags,
      summary: 'Watch a directory or a file',
      body: CreateWatchBody,
      response: { 200: envelopeOf(orFileError(WatchCreated)), ...V1_ERRORS, 429: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ body }, reply) => {
      const { data } = await beginWatching(service, body, reply);
      return ok(data, 'watching');
    },
  });

  app.get('/file/watch', {
    schema: {
      tags,
      summary: 'List the watchers',
      response: { 200: envelopeOf(z.object({ watchers: z.array(WatcherInfo) })), ...V1_ERRORS },
    },
    handler: async () => listed(service),
  });

  app.post('/file/watch/:watcher_id/poll', {
    schema: {
      tags,
      summary: 'Get the events after a cursor',
      params: WatcherParams,
      body: PollBodyV1,
      response: { 200: envelopeOf(WatchEvents), ...V1_ERRORS },
    },
    handler: async ({ params: { watcher_id }, body: { cursor, since, limit, timeout } }, reply) => {
      const watcher = service.get(watcher_id);
      const from = cursor ?? since ?? 0;
      await settled(watcher, { cursor: from, timeout }, clientGone(reply));
      const data = polled(watcher, { cursor: from, limit });
      return ok(data, `${data.events.length} events`);
    },
  });

  app.get('/file/watch/:watcher_id/events', {
    schema: {
      tags,
      summary: 'Stream the events as Server-Sent Events',
      params: WatcherParams,
      querystring: EventsQuery,
      produces: ['text/event-stream'],
    },
    handler: async ({ params: { watcher_id }, query, headers }, reply) => {
      const watcher = service.get(watcher_id);
      const cursor = cursorOf(watcher_id, headers['last-event-id']) ?? query.cursor;
      return sendEvents(reply, (gone) => streamed(watcher, cursor, gone));
    },
  });

  app.post('/file/watch/wait', {
    schema: {
      tags,
      summary: 'Wait for one event at a path, which need not exist',
      body: WaitBodyV1,
      response: { 200: envelopeOf(orFileError(WaitedV1)), ...V1_ERRORS, 429: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ body }, reply) => {
      const request = { path: pathOf(body, 'watch'), types: body.event_types, timeout: body.timeout };
      const { root, event } = await service.wait(request, clientGone(reply));
      return ok({ event: eventInfo(root, event) }, event.type);
    },
  });

  app.delete('/file/watch/:watcher_id', {
    schema: {
      tags,
      summary: 'Release a watcher',
      params: WatcherParams,
      response: { 200: envelopeOf(WatchReleased), ...V1_ERRORS },
    },
    handler: async ({ params: { watcher_id } }) => released(service, watcher_id),
  });
}

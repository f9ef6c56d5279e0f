import { z } from 'zod';
import type { App } from '../../../http/app-types.ts';
import { ErrorBody, envelopeOf, ok } from '../../../http/envelope.ts';
import { FILE_ERRORS } from '../../../http/files/file-fields.ts';
import { clientGone } from '../../../http/streams/client-gone.ts';
import { sendEvents } from '../../../http/streams/sse.ts';
import { settled } from '../settled.ts';
import type { WatchService } from '../watch-service.ts';
import {
  CreateWatchBody,
  EventsQuery,
  PollQuery,
  WatchCreated,
  WatchEvents,
  WatcherInfo,
  WatcherParams,
  WatchReleased,
} from '../wire/schemas.ts';
import { beginWatching, cursorOf, listed, polled, released, streamed, watcherInfo } from '../wire/wire.ts';

const tags = ['watch'];

export function watchV2(app: App, service: WatchService): void {
  app.post('/watch', {
    schema: {
      tags,
      summary: 'Watch a directory or a file; the same configuration again shares the watcher',
      body: CreateWatchBody,
      response: { 200: envelopeOf(WatchCreated), ...FILE_ERRORS, 429: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ body }, reply) => {
      const { watcher, data } = await beginWatching(service, body, reply);
      return ok(data, `watching ${watcherInfo(watcher, service.backend.name).path}`);
    },
  });

  app.get('/watch', {
    schema: {
      tags,
      summary: 'List the watchers',
      response: { 200: envelopeOf(z.object({ watchers: z.array(WatcherInfo) })), ...FILE_ERRORS },
    },
    handler: async () => listed(service),
  });

  app.get('/watch/:watcher_id/poll', {
    schema: {
      tags,
      summary: 'Get the events after a cursor, and wait for one where there is none',
      params: WatcherParams,
      querystring: PollQuery,
      response: { 200: envelopeOf(WatchEvents), ...FILE_ERRORS },
    },
    handler: async ({ params: { watcher_id }, query }, reply) => {
      const watcher = service.get(watcher_id);
      await settled(watcher, query, clientGone(reply));
      const data = polled(watcher, query);
      return ok(data, `${data.events.length} events`);
    },
  });

  app.get('/watch/:watcher_id/events', {
    schema: {
      tags,
      summary: 'Stream the events as Server-Sent Events: watch_started, file_change, overflow',
      description: 'Last-Event-ID, `<watcher_id>:<seq>`, resumes after that event.',
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

  app.delete('/watch/:watcher_id', {
    schema: {
      tags,
      summary: 'Release a watcher; it is stopped when nobody is left who created it',
      params: WatcherParams,
      response: { 200: envelopeOf(WatchReleased), ...FILE_ERRORS },
    },
    handler: async ({ params: { watcher_id } }) => released(service, watcher_id),
  });
}

import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { RawAnswer } from '../../../http/openapi/raw-body.ts';
import { sendEvents } from '../../../http/streams/sse.ts';
import type { WatchService } from '../watch-service.ts';
import { cursorOf, streamEvents } from './event-stream.ts';
import { EventsQuery, WatcherInfo, WatcherParams, WatchReleased, WatchStreamEvent } from './schemas.ts';
import { watcherInfo } from './wire.ts';

/** What the surfaces say differently of the same routes. */
interface Surface {
  readonly path: string;
  readonly tags: string[];
  /** Schemas of error answers by status. */
  readonly errors: Readonly<Record<number, z.ZodType>>;
}

/** The routes that are the same on every surface: list, stream and release. */
export function watcherRoutes(app: App, service: WatchService, { path, tags, errors }: Surface): void {
  app.get(path, {
    schema: {
      tags,
      operationId: 'listWatchers',
      summary: 'List the watchers',
      response: { 200: envelopeOf(z.object({ watchers: z.array(WatcherInfo) })), ...errors },
    },
    handler: async () => {
      const watchers = service.list().map((watcher) => watcherInfo(watcher, service.backend.name));
      return ok({ watchers }, counted(watchers.length, 'watcher'));
    },
  });

  app.get(`${path}/:watcher_id/events`, {
    config: { events: WatchStreamEvent },
    schema: {
      tags,
      operationId: 'streamWatcher',
      summary: 'Stream the events as Server-Sent Events',
      description:
        'Events: watch_started, file_change, overflow. Last-Event-ID, `<watcher_id>:<seq>`, resumes after that event.',
      params: WatcherParams,
      querystring: EventsQuery,
      produces: ['text/event-stream'],
      response: { 200: RawAnswer, ...errors },
    },
    handler: async ({ params: { watcher_id }, query, headers }, reply) => {
      const watcher = service.get(watcher_id);
      const cursor = cursorOf(watcher_id, headers['last-event-id']) ?? query.cursor;
      return sendEvents(reply, (gone) => streamEvents(watcher, cursor, gone));
    },
  });

  app.delete(`${path}/:watcher_id`, {
    schema: {
      tags,
      operationId: 'releaseWatcher',
      summary: 'Release a watcher',
      description: 'Without subscribers it is stopped.',
      params: WatcherParams,
      response: { 200: envelopeOf(WatchReleased), ...errors },
    },
    handler: async ({ params: { watcher_id } }) => {
      const { subscribers } = await service.release(watcher_id);
      return ok({ watcher_id, subscribers }, subscribers === 0 ? 'stopped' : `${subscribers} subscribers are left`);
    },
  });
}

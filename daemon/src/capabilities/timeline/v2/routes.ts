import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { sendNdjson } from '../../../http/streams/ndjson.ts';
import { sendEvents } from '../../../http/streams/sse.ts';
import type { TimelineService } from '../timeline-service.ts';
import {
  StateParams,
  TimelinePageSchema,
  TimelineQuery,
  TimelineStateSchema,
  TimelineStreamEvent,
} from '../wire/schemas.ts';
import { eventLines, pageData, queryOf, resumed, serverSentEvents, stateData } from '../wire/wire.ts';

export function timelineV2(app: App, service: TimelineService): void {
  app.get('/timeline', {
    config: { events: TimelineStreamEvent },
    schema: {
      tags: ['sandbox'],
      operationId: 'readTimeline',
      summary: 'What happened, in order',
      description:
        'The header Accept chooses the answer: application/x-ndjson and text/event-stream follow the events, after ' +
        '`after` or from now on, until the client leaves; Last-Event-ID resumes.',
      querystring: TimelineQuery,
      produces: ['application/json', 'application/x-ndjson', 'text/event-stream'],
      response: { 200: envelopeOf(TimelinePageSchema), 501: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ query, headers }, reply) => {
      const { accept = '' } = headers;
      const wanted = queryOf(query);
      service.requireOn();
      if (accept.includes('text/event-stream')) {
        const after = resumed(headers['last-event-id']) ?? wanted.after;
        return sendEvents(reply, (gone) => serverSentEvents(service, { ...wanted, after }, gone));
      }
      if (accept.includes('application/x-ndjson')) {
        return sendNdjson(reply, (gone) => eventLines(service, wanted, gone));
      }
      const page = await service.find(wanted, query.wait * 1000, clientGone(reply));
      return ok(pageData(page), counted(page.events.length, 'event'));
    },
  });

  app.get('/timeline/at/:seq', {
    schema: {
      tags: ['sandbox'],
      operationId: 'readTimelineState',
      summary: 'What ran at an event',
      params: StateParams,
      response: { 200: envelopeOf(TimelineStateSchema), 404: ErrorBody, 501: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ params: { seq } }) => ok(stateData(await service.stateAt(seq)), `at event ${seq}`),
  });
}

import type { z } from 'zod';
import type { ServerSentEvent } from '../../../http/streams/sse.ts';
import type { EventQuery } from '../query/find-events.ts';
import type { StateAt } from '../state/state-reader.ts';
import type { TimelinePage, TimelineService } from '../timeline-service.ts';
import type { TimelinePageSchema, TimelineQuery, TimelineStateSchema } from './schemas.ts';

export function pageData(page: TimelinePage): z.infer<typeof TimelinePageSchema> {
  const { events, cursor, more, firstSeq, lastSeq, missed, dropped } = page;
  return {
    events: events.map((event) => ({ ...event })),
    cursor: Math.min(cursor, lastSeq + 1),
    more,
    first_seq: firstSeq,
    last_seq: lastSeq,
    missed,
    dropped: dropped ?? null,
  };
}

export function queryOf({ after, before, kinds, actor, q, limit }: z.output<typeof TimelineQuery>): EventQuery {
  return { after, before, kinds: kinds?.split(',') ?? [], actor, q, limit };
}

export function stateData({ event, isWhole, fileCount, ...state }: StateAt): z.infer<typeof TimelineStateSchema> {
  const { seq, at, tick } = event;
  // The tracker has the fields in the names of the API.
  return { seq, at, tick, whole: isWhole, ...state, file_count: fileCount } as z.infer<typeof TimelineStateSchema>;
}

/** The `after` of a `Last-Event-ID` header. */
export function resumed(lastEventId: string | string[] | undefined): number | undefined {
  const [, seq] = /^(\d{1,15})$/.exec([lastEventId].flat()[0] ?? '') ?? [];
  return seq === undefined ? undefined : Number(seq);
}

/** Lines of JSON, as many at once as are there. */
export async function* eventLines(
  service: TimelineService,
  query: EventQuery,
  gone: AbortSignal,
): AsyncGenerator<string> {
  if (service.isBehind(query.after)) yield `${JSON.stringify({ type: 'overflow' })}\n`;
  for await (const events of service.follow(query, gone)) {
    yield events.map((event) => `${JSON.stringify({ type: 'event', ...event })}\n`).join('');
  }
}

export async function* serverSentEvents(
  service: TimelineService,
  query: EventQuery,
  gone: AbortSignal,
): AsyncGenerator<readonly ServerSentEvent[]> {
  if (service.isBehind(query.after)) yield [{ event: 'overflow', data: { type: 'overflow' } }];
  for await (const events of service.follow(query, gone)) {
    yield events.map((event) => ({ event: 'event', id: `${event.seq}`, data: { type: 'event', ...event } }));
  }
}

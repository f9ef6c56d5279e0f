import type { z } from 'zod';
import type { TestApp } from '../../app.fixture.ts';
import type { TimelinePageSchema } from './wire/schemas.ts';

type Page = z.infer<typeof TimelinePageSchema>;
type Event = Page['events'][number];

/** A page of the timeline. */
export async function timelineOf(daemon: TestApp, query: Record<string, string> = {}): Promise<Page> {
  const answer = await daemon.inject({ url: '/v2/timeline', query: { limit: '1000', ...query } });
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
  return answer.json().data;
}

/** The kinds of the events in their order. */
export function kindsOf(events: readonly Event[]): string[] {
  return events.map(({ kind }) => kind);
}

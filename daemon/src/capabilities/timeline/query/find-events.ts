import type { Segment } from '../store/segments.ts';
import { type Bound, type EventFilter, filterOf, isAfter, isBefore, type TimelineEvent } from './event-filter.ts';
import { readSegment } from './read-segment.ts';

/** Bytes of segments that one call reads. */
const SCAN_BYTES = 32 * 1024 ** 2;

export interface EventQuery extends EventFilter {
  /** Only events after it, the oldest first; undefined: the newest ones. */
  readonly after: Bound | undefined;
  readonly before: Bound | undefined;
  readonly limit: number;
}

/** Position of a reader in the segments: it reads each line once. */
export interface Place {
  readonly first: number;
  readonly offset: number;
}

export interface EventPage {
  /** In their order. */
  readonly events: readonly TimelineEvent[];
  /** Number after which the next page begins; of the newest events, before which the one before ends. */
  readonly cursor: number;
  /** There may be more in that direction. */
  readonly more: boolean;
  /** Where the next page begins, after pages in the order of the events that were read to their end. */
  readonly place: Place | undefined;
}

/** The oldest events after a bound. */
export async function eventsAfter(
  segments: readonly Segment[],
  query: EventQuery & { readonly after: Bound },
  from?: Place,
): Promise<EventPage> {
  const { after } = query;
  const seq = typeof after === 'number' ? after : 0;
  const found = new Collector(query, seq);
  let place = from;
  for (const segment of startingAt(segments, after, from)) {
    const offset = segment.first === from?.first ? from.offset : 0;
    if (!found.mayScan(segment.bytes - offset)) return found.page(true);
    for (const event of await readSegment(segment, seq, offset)) {
      if (isBeyond(event, query.before)) return found.page(false);
      if (isWithin(event, query) && !found.take(event)) return found.page(true);
    }
    place = { first: segment.first, offset: segment.bytes };
  }
  return { ...found.page(false), place };
}

/** The newest events, or those before a bound. */
export async function newestEvents(segments: readonly Segment[], query: EventQuery): Promise<EventPage> {
  const { before } = query;
  const found = new Collector(query, typeof before === 'number' ? before : Number.MAX_SAFE_INTEGER);
  for (const segment of segments.toReversed()) {
    if (typeof before === 'number' && segment.first >= before) continue;
    if (!found.mayScan(segment.bytes)) return inOrder(found.page(true));
    for (const event of (await readSegment(segment, 0)).reverse()) {
      if (isWithin(event, query) && !found.take(event)) return inOrder(found.page(true));
    }
  }
  return inOrder(found.page(false));
}

/** What one call has found, within the bounds of a call. */
class Collector {
  readonly #isWanted: ReturnType<typeof filterOf>;
  readonly #limit: number;
  readonly #events: TimelineEvent[] = [];
  #cursor: number;
  #scanned = 0;

  constructor(query: EventQuery, cursor: number) {
    this.#isWanted = filterOf(query);
    this.#limit = query.limit;
    this.#cursor = cursor;
  }

  /** Whether another segment may be read; the first always. */
  mayScan(bytes: number): boolean {
    const isAllowed = this.#scanned < SCAN_BYTES;
    this.#scanned += bytes;
    return isAllowed;
  }

  /** @returns false if it has to wait for the next page */
  take(event: TimelineEvent): boolean {
    if (this.#events.length >= this.#limit) return false;
    this.#cursor = event.seq;
    if (this.#isWanted?.(event) ?? true) this.#events.push(event);
    return true;
  }

  page(more: boolean): EventPage {
    return { events: this.#events, cursor: this.#cursor, more, place: undefined };
  }
}

function inOrder(page: EventPage): EventPage {
  return { ...page, events: page.events.toReversed() };
}

function isWithin(event: TimelineEvent, { after, before }: EventQuery): boolean {
  return (after === undefined || isAfter(event, after)) && (before === undefined || isBefore(event, before));
}

/** Whether no later event can be within the bound: the wall clock may be set, numbers grow. */
function isBeyond({ seq }: TimelineEvent, before: Bound | undefined): boolean {
  return typeof before === 'number' && seq >= before;
}

/** Those that can have events after the bound. */
function startingAt(segments: readonly Segment[], after: Bound, from: Place | undefined): readonly Segment[] {
  const number = from?.first ?? (typeof after === 'number' ? after + 1 : 0);
  const index = segments.findLastIndex(({ first }) => first <= number);
  return segments.slice(Math.max(index, 0));
}

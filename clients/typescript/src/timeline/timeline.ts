import type { Transport } from '../core/transport.ts';
import type { CallOptions } from '../files/files.ts';
import type * as wire from '../wire.ts';

export type TimelineEvent = wire.TimelineEvent;

/** The `seq` of an event, or a time. */
export type TimelineBound = number | string | Date;

export interface TimelineQuery extends CallOptions {
  /** Only events after it, the oldest first; default: the newest events. */
  readonly after?: TimelineBound | undefined;
  readonly before?: TimelineBound | undefined;
  /** Kinds, or what stands before their dot. */
  readonly kinds?: readonly string[] | undefined;
  /** The name of a key, a protocol, or an `X-Actor`. */
  readonly actor?: string | undefined;
  /** Part of a text of the event. */
  readonly q?: string | undefined;
  /** Default: 100; at most 1,000. */
  readonly limit?: number | undefined;
  /** Seconds to wait for an event, at most 60. */
  readonly wait?: number | undefined;
}

export interface TimelinePage {
  readonly events: readonly TimelineEvent[];
  /** `after` of the next page; without `after` in the query, `before` of the page before. */
  readonly cursor: number;
  readonly more: boolean;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Events after `after` were removed for room. */
  readonly missed: boolean;
  /** Events that the disk refuses now. */
  readonly dropped: { readonly count: number; readonly reason: string } | null;
}

const PAGE = 1000;
const WAIT_SECONDS = 30;

/** What happened in the sandbox, in one order (docs/recorder.md); with `SVC_RECORD=on`. */
export class Timeline {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async read(options: TimelineQuery = {}): Promise<TimelinePage> {
    const { signal, after, before, kinds, ...rest } = options;
    const query = { ...rest, after: textOf(after), before: textOf(before), kinds: kinds?.join(',') };
    const page = await this.#transport.data('/v2/timeline', 'Timeline', { query, signal });
    const { first_seq: firstSeq, last_seq: lastSeq, ...known } = page;
    return { ...known, firstSeq, lastSeq };
  }

  /** Events after a bound, default: from now on, as they come, until the loop is left or the signal fires. */
  async *follow(options: Omit<TimelineQuery, 'before' | 'limit' | 'wait'> = {}): AsyncGenerator<TimelineEvent> {
    let after = options.after ?? (await this.read({ limit: 1, signal: options.signal })).lastSeq;
    for (;;) {
      const page = await this.read({ ...options, after, limit: PAGE, wait: WAIT_SECONDS });
      yield* page.events;
      // A page without events returns the bound of the query as its cursor.
      if (page.cursor > 0) after = page.cursor;
    }
  }
}

function textOf(bound: TimelineBound | undefined): string | undefined {
  return bound instanceof Date ? bound.toISOString() : bound?.toString();
}

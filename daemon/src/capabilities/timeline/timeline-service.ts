import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { VERSION } from '@sandbox/api/version.ts';
import type { Core } from '../../core/core.ts';
import type { Bound, TimelineEvent } from './query/event-filter.ts';
import { type EventPage, type EventQuery, eventsAfter, newestEvents, type Place } from './query/find-events.ts';
import { Redactor } from './redactor.ts';
import { type StateAt, StateReader } from './state/state-reader.ts';
import { type Dropped, EventWriter } from './store/event-writer.ts';
import { Segments } from './store/segments.ts';

interface TimelineTerms {
  readonly record: 'off' | 'on';
  readonly recordMaxBytes: number;
  readonly recordRedact: readonly RegExp[];
}

/** A page, and how far the whole reaches. */
export interface TimelinePage extends EventPage {
  /** The oldest number that is kept; of the first to come if none is. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Events after the bound were removed for room. */
  readonly missed: boolean;
  readonly dropped: Dropped | undefined;
}

/** Events of a stream that one write carries. */
const BATCH = 256;

/** The order of what happened: it takes what the daemon reports, and gives it to callers. */
export class TimelineService implements AsyncDisposable {
  readonly #segments: Segments | undefined;
  readonly #writer: EventWriter | undefined;
  readonly #attached: Disposable | undefined;
  readonly #recorder: Core['recorder'];
  readonly #stopping = new AbortController();
  /** Why the directory cannot be used. */
  readonly #failure: string | undefined;

  /** A directory that cannot be used costs the timeline, not the start. */
  constructor(
    { clock, logger, recorder, runtime, tickets }: Core,
    { record, recordMaxBytes, recordRedact }: TimelineTerms,
  ) {
    this.#recorder = recorder;
    if (record === 'off') return;
    const redactor = new Redactor({ patterns: recordRedact, tickets });
    try {
      this.#segments = new Segments(join(runtime.path, 'timeline'), recordMaxBytes);
    } catch (error) {
      logger.error({ err: error }, 'no timeline is kept: its directory cannot be used');
      this.#failure = error instanceof Error ? error.message : String(error);
      return;
    }
    this.#writer = new EventWriter(this.#segments, redactor, clock);
    this.#attached = recorder.attach(this.#writer);
    const { next, lastKind } = this.#segments;
    // The end of a daemon that was killed is missing: what it had not written yet.
    recorder.observe(
      'daemon.started',
      {},
      { version: VERSION, restart: next > 1, gap: next > 1 && lastKind !== 'daemon.stopped' },
    );
  }

  get isOn(): boolean {
    return this.#writer !== undefined;
  }

  get figures(): { readonly events: number; readonly dropped: number; readonly bytes: number } {
    return { ...(this.#writer?.counts ?? { events: 0, dropped: 0 }), bytes: this.#segments?.bytes ?? 0 };
  }

  /**
   * Events that were reported until now; with `waitMs`, if none is found, those that come within that time.
   * @throws SandboxError `unsupported` if nothing is recorded, `unavailable` if its directory cannot be used
   */
  async find(query: EventQuery, waitMs: number, gone: AbortSignal): Promise<TimelinePage> {
    const { writer } = this.#required();
    writer.flush();
    const deadline = performance.now() + waitMs;
    const signal = AbortSignal.any([gone, this.#stopping.signal]);
    let last = writer.last;
    let page = await this.#read(
      typeof query.after === 'number' ? { ...query, after: Math.min(query.after, last) } : query,
    );
    while (page.events.length === 0 && !page.more && !signal.aborted) {
      const ms = deadline - performance.now();
      if (ms <= 0) break;
      await writer.more(last, { ms, signal });
      const after = query.after instanceof Date ? query.after : last;
      last = writer.last;
      page = await this.#read({ ...query, after }, page.place);
    }
    return { ...page, ...this.#extent(query.after), lastSeq: writer.last, dropped: writer.dropped };
  }

  /** Whether events after the bound were removed for room. */
  isBehind(after: Bound | undefined): boolean {
    return this.#extent(after).missed;
  }

  /**
   * Events after a bound as they come, until one before the other bound was the last, or the signal fires.
   * @throws SandboxError `unsupported` if nothing is recorded
   */
  async *follow(query: Omit<EventQuery, 'limit'>, gone: AbortSignal): AsyncGenerator<readonly TimelineEvent[]> {
    const { writer } = this.#required();
    const signal = AbortSignal.any([gone, this.#stopping.signal]);
    let last = writer.last;
    let after: Bound = query.after instanceof Date ? query.after : Math.min(query.after ?? last, last);
    let place: Place | undefined;
    for (;;) {
      const page: EventPage = await this.#read({ ...query, after, limit: BATCH }, place);
      if (page.events.length > 0) yield page.events;
      if (signal.aborted || (query.before !== undefined && !page.more)) return;
      ({ place } = page);
      if (page.more) after = page.cursor;
      else {
        if (typeof after === 'number') after = Math.max(last, page.cursor);
        await writer.more(last, { signal });
        last = writer.last;
      }
    }
  }

  /** What ran and was open after an event. @throws SandboxError as `StateReader.at`, and as `find` */
  async stateAt(seq: number): Promise<StateAt> {
    const { segments, writer } = this.#required();
    writer.flush();
    return await new StateReader(segments).at(seq);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#recorder.observe('daemon.stopped', {});
    this.#attached?.[Symbol.dispose]();
    this.#writer?.[Symbol.dispose]();
    this.#stopping.abort();
  }

  /** @throws SandboxError `unsupported` if nothing is recorded */
  requireOn(): void {
    this.#required();
  }

  #required(): { readonly segments: Segments; readonly writer: EventWriter } {
    if (this.#segments !== undefined && this.#writer !== undefined) {
      return { segments: this.#segments, writer: this.#writer };
    }
    if (this.#failure !== undefined) {
      throw new SandboxError('unavailable', `no timeline is kept: ${this.#failure}`, {
        hint: 'free space on the file system of SVC_RUNTIME_DIR, and start the service again',
      });
    }
    throw new SandboxError('unsupported', 'no timeline is kept', { hint: 'start the service with SVC_RECORD=on' });
  }

  #extent(after: Bound | undefined): { readonly firstSeq: number; readonly missed: boolean } {
    const firstSeq = this.#segments?.all.at(0)?.first ?? 1;
    return { firstSeq, missed: typeof after === 'number' && after + 1 < firstSeq };
  }

  #read(query: EventQuery, place?: Place): Promise<EventPage> {
    const segments = this.#segments?.all ?? [];
    const { after } = query;
    return after === undefined ? newestEvents(segments, query) : eventsAfter(segments, { ...query, after }, place);
  }
}

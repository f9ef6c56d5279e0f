import { Waiters } from '@sandbox/api/wait.ts';
import type { AgeClock } from '../../../core/clock/age-clock.ts';
import { errnoName } from '../../../core/errno-name.ts';
import type { EventSink, Growth, RecordedEvent } from '../../../core/recorder/event.ts';
import { isFull } from '../../../core/records/replace-file.ts';
import { type Redactor, TEXT_MAX } from '../redactor.ts';
import { encodeEvent, type NumberedEvent } from './event-line.ts';
import { type OpenRange, PendingRanges } from './pending-ranges.ts';
import type { Segments } from './segments.ts';

/** Milliseconds that events wait for others to be written with, and ranges for bytes that continue them. */
const FLUSH_MS = 100;
const RANGE_MS = 1000;
/** Events that wait, and characters of their texts, at most: then they are written at once. */
const PENDING_MAX = 1000;
const PENDING_CHARACTERS = 256 * 1024;

/** Events that could not be written and that no line names yet. */
export interface Dropped {
  readonly count: number;
  readonly reason: string;
}

/**
 * Numbers events and writes them, many at once. A number is given before the event is written, and nothing is read that
 * is not written: after a kill the next daemon continues behind the last line. What a disk refuses is counted, and a line
 * with the numbers that are missing follows: at once from the reserve, and with the next events.
 */
export class EventWriter implements EventSink, Disposable {
  readonly #segments: Segments;
  readonly #redactor: Redactor;
  readonly #clock: AgeClock;
  readonly #ranges = new PendingRanges();
  readonly #written = new Waiters();
  #pending: NumberedEvent[] = [];
  #characters = 0;
  #seq: number;
  #last: number;
  #timer: NodeJS.Timeout | undefined;
  #dropped: { first: number; last: number; reason: string } | undefined;
  #counts = { events: 0, dropped: 0 };

  constructor(segments: Segments, redactor: Redactor, clock: AgeClock) {
    this.#segments = segments;
    this.#redactor = redactor;
    this.#clock = clock;
    this.#seq = segments.next;
    this.#last = segments.next - 1;
  }

  /** The number of the newest event that can be read. */
  get last(): number {
    return this.#last;
  }

  /** Events so far that were reported, and that the disk has refused. */
  get counts(): { readonly events: number; readonly dropped: number } {
    return this.#counts;
  }

  get dropped(): Dropped | undefined {
    const missing = this.#dropped;
    return missing && { count: missing.last - missing.first + 1, reason: missing.reason };
  }

  add(event: RecordedEvent): void {
    if (event.kind === 'sandbox.claimed') this.#restart();
    const ids = Object.values(event.refs).filter((id) => typeof id === 'string');
    for (const range of this.#ranges.takeOf(ids)) this.#addRange(range);
    this.#number(event);
    // Its number has to outlive a kill, since no file says how far the numbers are.
    if (event.kind === 'sandbox.claimed') this.#write();
  }

  grow(growth: Growth): void {
    if (growth.to <= growth.from) return;
    const before = this.#ranges.add(growth, this.#clock.now());
    if (before !== undefined) this.#addRange(before);
    this.#schedule();
  }

  /** Resolves when more was written, the writer is closed, or a bound ends the wait. */
  async more(after: number, bounds: Parameters<Waiters['next']>[0]): Promise<void> {
    if (this.#last <= after) await this.#written.next(bounds);
  }

  /** Writes what was reported until now, so that it can be read. */
  flush(): void {
    for (const range of this.#ranges.takeAll()) this.#addRange(range);
    this.#write();
  }

  [Symbol.dispose](): void {
    this.flush();
    clearTimeout(this.#timer);
    this.#writeDropped(true);
    this.#segments[Symbol.dispose]();
    this.#written.wake();
  }

  /** Who claims a sandbox of a pool begins a new timeline; the numbers continue. */
  #restart(): void {
    this.flush();
    this.#dropped = undefined;
    this.#segments.clear();
  }

  #addRange({ kind, actor, ref: [name, id], from, to, since }: OpenRange): void {
    const ms = Math.round(this.#clock.since(since));
    this.#number({ kind, actor, refs: { [name]: id }, data: { from, to, ms } });
  }

  #number(event: RecordedEvent): void {
    const numbered = { ...event, seq: this.#seq, ...this.#clock.moment() };
    this.#seq += 1;
    this.#counts.events += 1;
    this.#pending.push(numbered);
    this.#characters += charactersOf(event);
    if (this.#pending.length >= PENDING_MAX || this.#characters >= PENDING_CHARACTERS) this.#write();
    else this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#clock.now() - this.#ranges.since >= RANGE_MS) this.flush();
      else this.#write();
      if (this.#ranges.size > 0) this.#schedule();
    }, FLUSH_MS).unref();
  }

  #write(): void {
    const events = this.#pending;
    const [first] = events;
    if (first === undefined) return;
    this.#pending = [];
    this.#characters = 0;
    try {
      const lines = this.#linesOf(events);
      this.#writeDropped(false);
      this.#segments.append({ first: first.seq, lines });
      this.#last = this.#seq - 1;
    } catch (error) {
      this.#drop(first.seq, events.length, error);
    }
    this.#written.wake();
  }

  /** Most events have nothing to leave out, and nothing to cut: they are encoded once. */
  #linesOf(events: readonly NumberedEvent[]): string[] {
    const lines = events.map((event) => encodeEvent(event));
    this.#redactor.refresh();
    const mayMatch = this.#redactor.mayMatch(lines.join('\n'));
    return events.map((event, index) => {
      const line = lines[index] ?? '';
      const isClean = !mayMatch && line.length <= TEXT_MAX;
      return isClean ? line : encodeEvent(event, (value) => this.#redactor.value(value));
    });
  }

  #drop(first: number, count: number, error: unknown): void {
    this.#counts.dropped += count;
    const reason = isFull(error) ? 'disk_full' : errnoName(error) || 'internal_error';
    const isFirst = this.#dropped === undefined;
    this.#dropped = { first: this.#dropped?.first ?? first, last: first + count - 1, reason };
    if (isFirst) this.#writeDropped(true);
  }

  /** @throws the error of the system call, unless it is to spend from the reserve: then a later line says it */
  #writeDropped(spend: boolean): void {
    const missing = this.#dropped;
    if (missing === undefined) return;
    const data = {
      reason: missing.reason,
      count: missing.last - missing.first + 1,
      firstSeq: missing.first,
      lastSeq: missing.last,
    };
    const event = { kind: 'dropped', actor: null, refs: {}, data, ...this.#clock.moment() } as const;
    // It has the number of the last event that is missing: those of later events are given already.
    const line = encodeEvent({ ...event, seq: missing.last });
    try {
      this.#segments.append({ first: missing.first, lines: [line] }, spend);
      this.#dropped = undefined;
      this.#last = Math.max(this.#last, missing.last);
    } catch (error) {
      if (!spend) throw error;
    }
  }
}

function charactersOf({ data }: RecordedEvent): number {
  let sum = 200;
  for (const value of Object.values(data)) if (typeof value === 'string') sum += value.length;
  return sum;
}

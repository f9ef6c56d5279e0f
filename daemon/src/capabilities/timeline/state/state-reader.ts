import { readFile } from 'node:fs/promises';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { TimelineEvent } from '../query/event-filter.ts';
import { readSegment } from '../query/read-segment.ts';
import { type Segment, type Segments, stateFileOf } from '../store/segments.ts';
import { EMPTY, type SandboxState, StateTracker } from './sandbox-state.ts';

/** Segments without a kept state that one call follows. */
const FOLLOWED_MAX = 32;

/** A state and the event after which it is. */
export interface StateAt extends SandboxState {
  readonly event: TimelineEvent;
}

/**
 * The state at an event, from the events before it. The state before a segment is kept beside it by the first call that
 * follows the segment before it: a later call reads one segment.
 */
export class StateReader {
  readonly #segments: Segments;

  constructor(segments: Segments) {
    this.#segments = segments;
  }

  /**
   * @throws SandboxError `not_found` for an event that is not kept or has not happened, `unavailable` if a call would
   *   follow too many segments: the next one continues
   */
  async at(seq: number): Promise<StateAt> {
    const { all } = this.#segments;
    const index = all.findLastIndex(({ first }) => first <= seq);
    const segment = all[index];
    if (segment === undefined) throw notKept(seq);
    const tracker = new StateTracker(await this.#beginOf(all, index));
    let last: TimelineEvent | undefined;
    for (const event of await readSegment(segment, 0)) {
      if (event.seq > seq) break;
      tracker.apply(event);
      last = event;
    }
    // A number that was dropped has the state of the event before it.
    const next = all[index + 1]?.first ?? Number.POSITIVE_INFINITY;
    if (last === undefined || (last.seq < seq && next === Number.POSITIVE_INFINITY)) throw notKept(seq);
    return { ...tracker.state, event: last };
  }

  /** From the newest state that is kept, or the oldest segment on, as many segments as a call may follow. */
  async #beginOf(all: readonly Segment[], index: number): Promise<SandboxState> {
    let from = index;
    let state = await keptState(all[from]);
    while (state === undefined && from > 0) {
      from -= 1;
      state = await keptState(all[from]);
    }
    state ??= { ...EMPTY, isWhole: all[0]?.first === 1 };
    const end = Math.min(index, from + FOLLOWED_MAX);
    for (; from < end; from += 1) state = await this.#follow(all, from, state);
    if (from === index) return state;
    throw new SandboxError('unavailable', `the state is known up to event ${all[from]?.first} so far`, {
      hint: 'repeat the call: it continues there',
    });
  }

  async #follow(all: readonly Segment[], from: number, begin: SandboxState): Promise<SandboxState> {
    const [segment, next] = [all[from], all[from + 1]];
    if (segment === undefined || next === undefined) return begin;
    const tracker = new StateTracker(begin);
    for (const event of await readSegment(segment, 0)) tracker.apply(event);
    const { state } = tracker;
    this.#segments.keepState(next, JSON.stringify(state));
    return state;
  }
}

async function keptState(segment: Segment | undefined): Promise<SandboxState | undefined> {
  if (segment === undefined) return undefined;
  try {
    return JSON.parse(await readFile(stateFileOf(segment), 'utf8')) as SandboxState;
  } catch {
    return undefined;
  }
}

function notKept(seq: number): SandboxError {
  return new SandboxError('not_found', `no event ${seq}`, { hint: 'GET /v2/timeline has first_seq and last_seq' });
}

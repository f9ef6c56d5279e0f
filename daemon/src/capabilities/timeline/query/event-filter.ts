import type { Actor, EventKind } from '../../../core/recorder/event.ts';

/** An event as a line has it. */
export interface TimelineEvent {
  readonly seq: number;
  /** Wall clock, ISO 8601. */
  readonly at: string;
  /** Milliseconds of the age clock. */
  readonly tick: number;
  readonly kind: EventKind;
  readonly actor: Actor | null;
  readonly refs: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A number of an event, or a moment of the wall clock. */
export type Bound = number | Date;

export interface EventFilter {
  /** Kinds, and what stands before the dot in them; empty: all. */
  readonly kinds: readonly string[];
  /** The name of the key, the protocol, or what the client calls itself. */
  readonly actor?: string | undefined;
  /** A part of a text of the event. */
  readonly q?: string | undefined;
}

/** Whether an event is wanted; undefined: every event is. */
export function filterOf({ kinds, actor, q }: EventFilter): ((event: TimelineEvent) => boolean) | undefined {
  if (kinds.length === 0 && actor === undefined && q === undefined) return undefined;
  const wanted = new Set(kinds);
  return (event) =>
    (wanted.size === 0 || wanted.has(event.kind) || wanted.has(event.kind.split('.')[0] ?? '')) &&
    (actor === undefined || isOf(event, actor)) &&
    (q === undefined || hasText(event.refs, q) || hasText(event.data, q) || event.kind.includes(q));
}

export function isAfter({ seq, at }: TimelineEvent, bound: Bound): boolean {
  return typeof bound === 'number' ? seq > bound : Date.parse(at) > bound.getTime();
}

export function isBefore({ seq, at }: TimelineEvent, bound: Bound): boolean {
  return typeof bound === 'number' ? seq < bound : Date.parse(at) < bound.getTime();
}

function isOf({ actor }: TimelineEvent, name: string): boolean {
  return actor !== null && (actor.key === name || actor.protocol === name || actor.claimed === name);
}

function hasText(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text);
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => hasText(one, text));
}

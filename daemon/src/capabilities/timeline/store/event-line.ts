import { snakeCase } from '@sandbox/api/fields/snake-case.ts';
import type { RecordedEvent } from '../../../core/recorder/event.ts';

/** An event with its number and its moment on both clocks. */
export interface NumberedEvent extends RecordedEvent {
  readonly seq: number;
  readonly at: Date;
  readonly tick: number;
}

/** Values of an event as the redactor makes them; the same ones if it has nothing to leave out. */
export type Clean = (value: unknown) => unknown;

/** The event as a line of JSON, which begins with its number, in the names of the API. */
export function encodeEvent({ seq, at, tick, kind, actor, refs, data }: NumberedEvent, clean?: Clean): string {
  const line = { seq, at: at.toISOString(), tick: Math.round(tick), kind, actor, refs: named(refs), data: named(data) };
  if (clean === undefined) return JSON.stringify(line);
  const claimed = actor && { ...actor, claimed: clean(actor.claimed) };
  return JSON.stringify({ ...line, actor: claimed, refs: clean(line.refs), data: clean(line.data) });
}

/** The number of a line. */
export function seqOf(line: string): number {
  return Number.parseInt(line.slice('{"seq":'.length), 10);
}

const names = new Map<string, string>();

/** Without members that are undefined or null, which say nothing here. */
function named(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const wire: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && value !== null) wire[wireName(name)] = value;
  return wire;
}

function wireName(name: string): string {
  let known = names.get(name);
  if (known === undefined) {
    known = snakeCase(name);
    names.set(name, known);
  }
  return known;
}

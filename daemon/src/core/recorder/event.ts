/** Kinds of the timeline, by what they are about. */
export const EVENT_KINDS = [
  'command.begun',
  'command.found',
  'command.input',
  'command.signalled',
  'command.ended',
  'terminal.opened',
  'terminal.found',
  'terminal.output',
  'terminal.exec',
  'terminal.exec_ended',
  'terminal.resized',
  'terminal.closed',
  'terminal.ended',
  'cell.begun',
  'cell.found',
  'cell.ended',
  'file.written',
  'file.edited',
  'file.made',
  'file.copied',
  'file.moved',
  'file.deleted',
  'browser.action',
  'desktop.action',
  'mcp.call',
  'sandbox.claimed',
  'keys.changed',
  'daemon.started',
  'daemon.stopped',
  'dropped',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Who did something. */
export interface Actor {
  /** The name of the key; null: it has none. */
  readonly key: string | null;
  /** By which the request was sent: v2, v1, mcp, or the name of a foreign protocol. */
  readonly protocol: string;
  /** What the client calls itself, which nothing proves. */
  readonly claimed: string | null;
}

/** Ids of what an event is about, by name. */
export type EventRefs = Readonly<Record<string, string | null | undefined>>;
export type EventData = Readonly<Record<string, unknown>>;

export interface RecordedEvent {
  readonly kind: EventKind;
  /** Null: it happened by itself. */
  readonly actor: Actor | null;
  readonly refs: EventRefs;
  readonly data: EventData;
}

/** Bytes that were appended to a log or an input. */
export interface Growth {
  readonly kind: EventKind;
  readonly actor: Actor | null;
  /** Name and id of what has the log. */
  readonly ref: readonly [name: string, id: string];
  /** Offset of the first byte, and of the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** What keeps events. It copies what it needs at once, and never throws. */
export interface EventSink {
  add(event: RecordedEvent): void;
  grow(growth: Growth): void;
}

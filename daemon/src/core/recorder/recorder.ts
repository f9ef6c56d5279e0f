import { callerActor } from '../access/caller.ts';
import type { Actor, EventData, EventKind, EventRefs, EventSink } from './event.ts';

/**
 * Where all parts of the daemon report what happened. Without a sink a report costs a comparison, and with one no disk
 * access: values are passed as they are, so that a report makes no copy of bytes.
 */
export class Recorder {
  #sink: EventSink | undefined;

  /** Whether reports are kept. */
  get isOn(): boolean {
    return this.#sink !== undefined;
  }

  /** Every report goes there until the answer is disposed. */
  attach(sink: EventSink): Disposable {
    this.#sink = sink;
    return {
      [Symbol.dispose]: () => {
        if (this.#sink === sink) this.#sink = undefined;
      },
    };
  }

  /** Reports what the request of the caller did. */
  note(kind: EventKind, refs: EventRefs, data: EventData = {}): void {
    this.#sink?.add({ kind, actor: callerActor(), refs, data });
  }

  /** As `note`, after the request was answered. */
  noteBy(actor: Actor, kind: EventKind, refs: EventRefs, data: EventData = {}): void {
    this.#sink?.add({ kind, actor, refs, data });
  }

  /** Reports what happened by itself. */
  observe(kind: EventKind, refs: EventRefs, data: EventData = {}): void {
    this.#sink?.add({ kind, actor: null, refs, data });
  }

  /** Reports bytes that the request of the caller appended; neighbouring ranges become one event. */
  noteRange(kind: EventKind, ref: readonly [name: string, id: string], from: number, to: number): void {
    this.#sink?.grow({ kind, actor: callerActor(), ref, from, to });
  }

  /** As `noteRange`, of bytes that a program wrote. */
  observeRange(kind: EventKind, ref: readonly [name: string, id: string], from: number, to: number): void {
    this.#sink?.grow({ kind, actor: null, ref, from, to });
  }
}

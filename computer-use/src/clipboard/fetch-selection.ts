import { waitFor } from '@sandbox/api/wait.ts';
import type { XEvent, XProperty } from 'x11';
import type { XSession } from '../x11/x-session.ts';

const ANY_TYPE = 0;
const NEW_VALUE = 0;

export interface SelectionRequest {
  /** A window of ours, whose property takes the text. */
  readonly window: number;
  readonly selection: number;
  readonly target: number;
  readonly mostBytes: number;
  /** Ends every wait. */
  readonly bound: AbortSignal;
}

/** The text of a selection in one format; undefined if its owner refuses that format. */
export async function fetchSelection(session: XSession, request: SelectionRequest): Promise<Buffer | undefined> {
  const { window, selection, target, mostBytes, bound } = request;
  const property = await session.atom('SANDBOX_SELECTION');
  const incr = await session.atom('INCR');
  using changes = new PropertyChanges(session, window, property);
  const { promise, resolve } = Promise.withResolvers<XEvent>();
  using _listening = session.on('SelectionNotify', (event) => {
    if (event['requestor'] === window && event['selection'] === selection) resolve(event);
  });
  session.client.DeleteProperty(window, property);
  session.client.ConvertSelection(window, selection, target, property, 0);
  await session.sync();
  if ((await waitFor(promise, { signal: bound })) !== 'settled') throw bound.reason;
  if (Number((await promise)['property']) === 0) return undefined;
  const first = await take(session, window, property, mostBytes);
  if (first.type !== incr) return first.data.subarray(0, mostBytes);
  return await changes.pieces(mostBytes, bound);
}

/**
 * The value of a property, at most so many bytes of it, rounded up to words. A whole one is deleted, so that the owner
 * sends the next piece.
 */
function take(session: XSession, window: number, property: number, mostBytes: number): Promise<XProperty> {
  const words = Math.ceil(mostBytes / 4);
  return session.query(
    (done) => session.client.GetProperty(1, window, property, ANY_TYPE, 0, words, done),
    mostBytes + 4,
  );
}

/** New values of a property, one after another (ICCCM §2.7.2). */
class PropertyChanges implements Disposable {
  readonly #session: XSession;
  readonly #window: number;
  readonly #property: number;
  readonly #listening: Disposable;
  #count = 0;
  #wake: (() => void) | undefined;

  constructor(session: XSession, window: number, property: number) {
    this.#session = session;
    this.#window = window;
    this.#property = property;
    this.#listening = session.on('PropertyNotify', ({ wid, atom, state }) => {
      if (wid !== window || atom !== property || state !== NEW_VALUE) return;
      this.#count += 1;
      this.#wake?.();
    });
  }

  /** The pieces until an empty one; those beyond the bound are dropped, and the rest is not fetched. */
  async pieces(mostBytes: number, bound: AbortSignal): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    // The announcement of the transfer was the first change.
    for (let seen = 1; length <= mostBytes; seen += 1) {
      await this.#changed(seen, bound);
      const { data, bytesAfter } = await take(this.#session, this.#window, this.#property, mostBytes);
      if (data.length === 0) break;
      pieces.push(data);
      length += data.length;
      if (bytesAfter > 0) break;
    }
    return Buffer.concat(pieces).subarray(0, mostBytes);
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }

  async #changed(seen: number, bound: AbortSignal): Promise<void> {
    while (this.#count <= seen) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      if ((await waitFor(promise, { signal: bound })) !== 'settled') throw bound.reason;
    }
  }
}

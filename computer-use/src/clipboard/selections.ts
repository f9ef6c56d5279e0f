import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { Slots, waitFor } from '@sandbox/api/wait.ts';
import type { XEvent } from 'x11';
import type { XSession } from '../x11/x-session.ts';
import { fetchSelection } from './fetch-selection.ts';
import { TextSender } from './send-text.ts';

/** Milliseconds in which the owner of a selection has to hand over its text. */
const FETCH_MS = 2_000;
/** Answers to requests for a text, of up to 128 KiB each, that the display has not taken; more requests are dropped. */
const UNSENT_MAX = 64;
/** Predefined atoms (X protocol, appendix B). */
const PRIMARY = 1;
const ATOM = 4;
const INTEGER = 19;
const STRING = 31;

export type SelectionName = 'CLIPBOARD' | 'PRIMARY';

interface Owned {
  readonly text: Buffer;
  /** Called when a client has asked for something: for the text, or what there is. */
  readonly onRequest: (requestor: number, isText: boolean) => void;
}

/** The selections that the worker owns on one connection: their texts outlive the call that set them. */
export class Selections {
  readonly #session: XSession;
  readonly #window: number;
  readonly #targets: Readonly<Record<'INCR' | 'TARGETS' | 'TEXT' | 'TIMESTAMP' | 'UTF8_STRING', number>>;
  readonly #texts: readonly number[];
  readonly #clipboard: number;
  readonly #owned = new Map<number, Owned>();
  readonly #sender: TextSender;
  readonly #reading = new Slots(1);
  #unsent = 0;

  private constructor(session: XSession, window: number, atoms: readonly number[]) {
    const [clipboard = 0, targets = 0, timestamp = 0, utf8 = 0, text = 0, incr = 0, ...types] = atoms;
    this.#session = session;
    this.#sender = new TextSender(session);
    this.#window = window;
    this.#clipboard = clipboard;
    this.#targets = { INCR: incr, TARGETS: targets, TEXT: text, TIMESTAMP: timestamp, UTF8_STRING: utf8 };
    this.#texts = [utf8, STRING, text, ...types];
    session.on('SelectionRequest', (event) => this.#answer(event));
    session.on('SelectionClear', ({ selection }) => this.#owned.delete(Number(selection)));
  }

  static async open(session: XSession): Promise<Selections> {
    const names = ['CLIPBOARD', 'TARGETS', 'TIMESTAMP', 'UTF8_STRING', 'TEXT', 'INCR'];
    const types = ['text/plain', 'text/plain;charset=utf-8'];
    const atoms = await Promise.all([...names, ...types].map((name) => session.atom(name)));
    const window = session.client.AllocID();
    // PropertyChange: a large selection comes in pieces, each announced by the change of a property.
    session.client.CreateWindow(window, session.root, -10, -10, 1, 1, 0, 0, 0, 0, { eventMask: 0x40_0000 });
    return new Selections(session, window, atoms);
  }

  /** Owns a selection with that text, until another client takes it. @throws SandboxError `unavailable` */
  async own(name: SelectionName, text: string, onRequest: Owned['onRequest'] = () => undefined): Promise<void> {
    const selection = this.#selection(name);
    this.#owned.set(selection, { text: Buffer.from(text), onRequest });
    this.#session.client.SetSelectionOwner(this.#window, selection, 0);
    if ((await this.#ownerOf(selection)) === this.#window) return;
    this.#owned.delete(selection);
    throw new SandboxError('unavailable', `another client keeps the selection ${name}`, { hint: 'retry' });
  }

  /** Gives a selection up, so that it has no owner. */
  async release(name: SelectionName): Promise<void> {
    const selection = this.#selection(name);
    if (this.#owned.delete(selection)) this.#session.client.SetSelectionOwner(0, selection, 0);
    await this.#session.sync();
  }

  /** The window that owns a selection; 0: none. */
  owner(name: SelectionName): Promise<number> {
    return this.#ownerOf(this.#selection(name));
  }

  /**
   * The text of a selection; undefined if it has no owner, or one without text.
   * @throws SandboxError `unavailable` if its owner does not answer in time
   */
  async read(name: SelectionName, mostBytes: number, ms = FETCH_MS): Promise<Buffer | undefined> {
    const selection = this.#selection(name);
    const owner = await this.#ownerOf(selection);
    if (owner === this.#window) return this.#owned.get(selection)?.text.subarray(0, mostBytes);
    if (owner === 0) return undefined;
    const bound = AbortSignal.any([AbortSignal.timeout(ms), this.#session.ended]);
    const reading = this.#readFrom(selection, mostBytes, bound);
    const end = await waitFor(reading, { signal: bound });
    if (end === 'settled') return reading;
    reading.catch(() => undefined);
    throw new SandboxError('unavailable', 'the owner of the clipboard does not answer', {
      hint: 'the application that copied last may hang; copy again, or set the clipboard',
    });
  }

  async #readFrom(selection: number, mostBytes: number, bound: AbortSignal): Promise<Buffer | undefined> {
    using _place = await this.#reading.take(bound);
    const terms = { window: this.#window, selection, mostBytes, bound };
    const utf8 = await fetchSelection(this.#session, { ...terms, target: this.#targets.UTF8_STRING });
    if (utf8 !== undefined) return utf8;
    const latin1 = await fetchSelection(this.#session, { ...terms, target: STRING });
    return latin1 && Buffer.from(latin1.toString('latin1'));
  }

  #selection(name: SelectionName): number {
    return name === 'PRIMARY' ? PRIMARY : this.#clipboard;
  }

  #ownerOf(selection: number): Promise<number> {
    return this.#session.query((done) => this.#session.client.GetSelectionOwner(selection, done));
  }

  /** Hands a text over as ICCCM §2.2 says: writes a property of the requestor, then sends SelectionNotify. */
  #answer(event: XEvent): void {
    const [requestor, selection, target, time] = ['requestor', 'selection', 'target', 'time'].map((field) =>
      Number(event[field]),
    ) as [number, number, number, number];
    if (this.#unsent >= UNSENT_MAX) return;
    // A client of before ICCCM names no property: then the target names it.
    const property = Number(event['property']) || target;
    const owned = this.#owned.get(selection);
    const isDone = owned !== undefined && this.#write(owned, requestor, target, property, time);
    const notify = { name: 'SelectionNotify', time, requestor, selection, target, property: isDone ? property : 0 };
    this.#unsent += 1;
    this.#session.client.SendEvent(requestor, 0, 0, notify, () => {
      this.#unsent -= 1;
      // The requestor may be gone.
      return true;
    });
    if (isDone) owned.onRequest(requestor, this.#texts.includes(target));
  }

  #write(owned: Owned, requestor: number, target: number, property: number, time: number): boolean {
    const { client } = this.#session;
    const ignore = (): boolean => true;
    const { INCR, TARGETS, TEXT, TIMESTAMP, UTF8_STRING } = this.#targets;
    if (target === TARGETS) {
      const all = [TARGETS, TIMESTAMP, ...this.#texts];
      client.ChangeProperty(0, requestor, property, ATOM, 32, all, ignore);
    } else if (target === TIMESTAMP) {
      client.ChangeProperty(0, requestor, property, INTEGER, 32, [time], ignore);
    } else if (target === STRING) {
      const latin1 = Buffer.from(owned.text.toString('utf8').replaceAll(/[^\0-\xff]/g, '?'), 'latin1');
      return this.#sender.deliver({ requestor, property, type: STRING, bytes: latin1, incr: INCR });
    } else if (this.#texts.includes(target)) {
      // TEXT leaves the encoding to the owner; the type names it.
      const type = target === TEXT ? UTF8_STRING : target;
      return this.#sender.deliver({ requestor, property, type, bytes: owned.text, incr: INCR });
    } else return false;
    return true;
  }
}

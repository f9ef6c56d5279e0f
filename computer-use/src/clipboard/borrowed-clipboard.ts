import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pollUntil } from '@sandbox/api/wait.ts';
import type { XSession } from '../x11/x-session.ts';
import type { SelectionName, Selections } from './selections.ts';

/**
 * Milliseconds without a request after which a paste is over although the focused client did not fetch the text: another
 * one did for it.
 */
const OTHER_MS = 500;
/**
 * Milliseconds without a request after which a target that has the text is done: Chromium asks what there is several
 * times before and after it, and drops the text if the clipboard has changed meanwhile. A target that was slow so far
 * gets longer: that many times the longest pause before one of its requests. One that asked several times before the
 * text gets `AFTER_MS` until it has asked after it.
 */
const QUIET_MS = 80;
const QUIET_PAUSES = 3;
const AFTER_MS = 500;
const SEVERAL = 2;
/** Milliseconds for a window to fetch the text, and for the whole paste. */
const DONE_MS = 5000;
const LOOK_MS = 10;
/** Milliseconds that a look adds at most: requests that arrive while this process has no processor are read after it. */
const LOOKED_MS = 2 * LOOK_MS;
/** Milliseconds for the text that the clipboard had, and its largest size in bytes. */
const SAVE_MS = 500;
const SAVED_MAX = 4 * 1024 ** 2;
/** Bytes of the class of a window that are read. */
const CLASS_WORDS = 64;
/** WM_CLASS (X protocol, appendix B). */
const WM_CLASS = 67;
const ANY_TYPE = 0;

type Saved = { readonly text: string } | 'no owner';

/**
 * The clipboard for the time in which texts are pasted into the focused window. Some programs paste PRIMARY on
 * Shift+Insert (terminals), most others CLIPBOARD.
 */
export class BorrowedClipboard implements AsyncDisposable {
  readonly #session: XSession;
  readonly #selections: Selections;
  readonly #saved: ReadonlyMap<SelectionName, Saved>;
  readonly #focus: number;

  private constructor(
    session: XSession,
    selections: Selections,
    saved: ReadonlyMap<SelectionName, Saved>,
    focus: number,
  ) {
    this.#session = session;
    this.#selections = selections;
    this.#saved = saved;
    this.#focus = focus;
  }

  static async borrow(session: XSession, selections: Selections): Promise<BorrowedClipboard> {
    const focus = await focusOf(session);
    const saved = new Map<SelectionName, Saved>([['CLIPBOARD', await save(selections, 'CLIPBOARD')]]);
    if (await pastesPrimary(session, selections, focus)) saved.set('PRIMARY', await save(selections, 'PRIMARY'));
    return new BorrowedClipboard(session, selections, saved, focus);
  }

  /**
   * Offers a text, calls `paste`, and waits until the focused client has the text.
   * @throws SandboxError `unavailable` if no client fetches it within 5 s
   */
  async offer(text: string, paste: () => Promise<void>): Promise<void> {
    const requests = new Requests();
    const onRequest = (requestor: number, isText: boolean): void => {
      // The X server itself fetches each text for its viewers.
      if (isOfServer(this.#session, requestor)) return;
      requests.add(isText, isOfClient(this.#session, requestor, this.#focus));
    };
    for (const name of this.#saved.keys()) await this.#selections.own(name, text, onRequest);
    await paste();
    requests.begin();
    await pollUntil(() => requests.areOver(), { everyMs: LOOK_MS, ms: DONE_MS, signal: this.#session.ended });
    await this.#session.sync();
    if (requests.isFetched) return;
    throw new SandboxError('unavailable', `no window has fetched the text from the clipboard in ${DONE_MS} ms`, {
      hint: 'look at the screen: the focused window takes no text, or is busy',
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [name, saved] of this.#saved) {
      if (saved === 'no owner') await this.#selections.release(name);
      else await this.#selections.own(name, saved.text);
    }
  }
}

/** What clients have asked for since a text was offered. */
class Requests {
  /** Of the focused client: how often it asked what there is before and after the text. */
  #before = 0;
  #after = 0;
  #isFetchedByFocused = false;
  #isFetchedByOther = false;
  #askedAt = performance.now();
  #longestPause = 0;
  #quiet = 0;
  #lookedAt = 0;

  get isFetched(): boolean {
    return this.#isFetchedByFocused || this.#isFetchedByOther;
  }

  /** The paste has been sent. */
  begin(): void {
    this.#lookedAt = performance.now();
  }

  add(isText: boolean, isOfFocused: boolean): void {
    if (!isOfFocused) {
      this.#isFetchedByOther ||= isText;
      return;
    }
    this.#isFetchedByFocused ||= isText;
    if (!isText && this.#isFetchedByFocused) this.#after += 1;
    else if (!isText) this.#before += 1;
    const now = performance.now();
    this.#longestPause = Math.max(this.#longestPause, now - this.#askedAt);
    this.#askedAt = now;
    this.#quiet = 0;
  }

  /** Whether no more are to be expected; called again and again. */
  areOver(): boolean {
    const now = performance.now();
    this.#quiet += Math.min(now - this.#lookedAt, LOOKED_MS);
    this.#lookedAt = now;
    return this.#quiet >= this.#patience();
  }

  #patience(): number {
    if (!this.#isFetchedByFocused) return this.#isFetchedByOther ? OTHER_MS : DONE_MS;
    const quiet = Math.max(QUIET_MS, QUIET_PAUSES * this.#longestPause);
    return this.#before >= SEVERAL && this.#after === 0 ? Math.max(quiet, AFTER_MS) : quiet;
  }
}

async function save(selections: Selections, name: SelectionName): Promise<Saved> {
  const text = await selections.read(name, SAVED_MAX, SAVE_MS).catch(() => undefined);
  return text === undefined ? 'no owner' : { text: text.toString('utf8') };
}

async function focusOf(session: XSession): Promise<number> {
  const { focus } = await session.ask<{ focus: number; revertTo: number }>((done) =>
    session.client.GetInputFocus(done),
  );
  return focus;
}

/** Whether the X server made a window for itself: it has no bits of a client. */
function isOfServer(session: XSession, window: number): boolean {
  return (window & ~session.display.resource_mask) === 0;
}

/** Whether both windows belong to one client (X protocol, §1.1: ids differ in the bits of `resource_mask`). */
function isOfClient(session: XSession, window: number, focus: number): boolean {
  const { resource_mask: mask } = session.display;
  // 0: nothing has the focus; 1: the window below the pointer.
  return focus <= 1 || (window & ~mask) === (focus & ~mask);
}

/**
 * Whether PRIMARY is borrowed too: for terminals, and if the focused client does not own it. A client that loses
 * PRIMARY drops its selection, which the text would have replaced.
 */
async function pastesPrimary(session: XSession, selections: Selections, focus: number): Promise<boolean> {
  const owner = await selections.owner('PRIMARY');
  if (owner === 0 || focus <= 1 || !isOfClient(session, owner, focus)) return true;
  return /term/i.test(await classOf(session, focus));
}

/** The class of a window or of the nearest ancestor that has one. */
async function classOf(session: XSession, focus: number): Promise<string> {
  for (let window = focus, depth = 0; window !== session.root && depth < 10; depth += 1) {
    const at = window;
    const { data } = await session.ask<{ data: Buffer }>((done) =>
      session.client.GetProperty(0, at, WM_CLASS, ANY_TYPE, 0, CLASS_WORDS, (error, value) => done(error, value)),
    );
    if (data.length > 0) return data.toString('latin1');
    const tree = await session.ask<{ parent: number }>((done) =>
      session.client.QueryTree(at, (error, value) => done(error, value)),
    );
    window = tree.parent;
  }
  return '';
}

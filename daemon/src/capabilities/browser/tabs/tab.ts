import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { CdpFailure } from '../cdp/cdp-failure.ts';
import { CALL_MS, CdpSession } from '../cdp/cdp-session.ts';
import type { Method, ParamsOf, Protocol, ResultOf } from '../cdp/cdp-types.ts';
import type { RefNumbers } from '../element/ref-numbers.ts';
import { Refs } from '../element/refs.ts';
import { Keyboard } from '../input/keyboard.ts';
import { Mouse } from '../input/mouse.ts';
import type { RequestLog } from '../network/request-log.ts';
import { type Frame, framesOf } from './frames.ts';

/** Milliseconds that a call waits for a new tab to take its first commands. */
const READY_MS = 5000;
/** Characters of a dialog's text that an answer has. */
const DIALOG_TEXT = 500;
const NO_DIALOG_HINT = 'GET tabs shows the dialogs of all tabs';

/** A dialog of the page that waits for an answer. */
export interface Dialog {
  readonly type: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
  readonly message: string;
}

/** What becomes of a dialog that opens: it waits for a call, or is answered at once. */
type DialogAnswer = 'wait' | 'accept' | 'dismiss';

/** The default for all tabs, which calls change. */
export interface DialogPolicy {
  policy: DialogAnswer;
}

type OpenedListener = (id: string) => void;

/** What all tabs share. */
export interface TabTerms {
  readonly log: RequestLog;
  readonly numbers: RefNumbers;
  readonly dialogs: DialogPolicy;
  /** Whether the browser outlives its last tab, so that an empty one can follow. */
  readonly keepsRunning: boolean;
  /** Milliseconds after which a tab that answers nothing is crashed; 0: never. */
  readonly hungMs: number;
}

/** A page of the browser, opened by any client. Calls name it by the id of its target. */
export class Tab {
  readonly id: string;
  readonly session: CdpSession;
  readonly keyboard: Keyboard;
  readonly mouse: Mouse;
  readonly refs: Refs;
  /** Frames of other processes, by session. */
  readonly #children = new Map<string, CdpSession>();
  readonly #ended = new AbortController();
  readonly #log: RequestLog;
  readonly #dialogs: DialogPolicy;
  /** Settles when the tab has taken its first commands. */
  readonly ready: Promise<unknown>;
  #dialog: Dialog | undefined;
  #crashed = false;
  /** Calls that leave the page: `beforeunload` is accepted, every other dialog of it dismissed. */
  readonly #leaving = new Set<object>();
  readonly #openedListeners = new Set<OpenedListener>();
  #takesInput: Promise<unknown> | undefined;
  /** A separate session for the commands of callers, so that the domains they enable affect no other session. */
  #raw: Promise<CdpSession> | undefined;

  constructor(id: string, session: CdpSession, { log, numbers, dialogs }: TabTerms) {
    this.id = id;
    this.refs = new Refs(numbers);
    this.session = session;
    this.keyboard = new Keyboard(session);
    this.mouse = new Mouse(session, this.keyboard);
    this.#log = log;
    this.#dialogs = dialogs;
    session.on('Page.javascriptDialogOpening', ({ type, message }) => this.#openDialog({ type, message }));
    session.on('Page.javascriptDialogClosed', () => {
      this.#dialog = undefined;
    });
    session.on('Page.frameNavigated', ({ frame }) => {
      // The page was left: dialogs are those of the new one.
      if (frame.id === id) this.#leaving.clear();
    });
    session.on('Inspector.targetReloadedAfterCrash', () => {
      this.#crashed = false;
    });
    this.ready = this.#prepare(session);
  }

  /** Fires when the tab is closed or the connection ends. */
  get gone(): AbortSignal {
    return this.#ended.signal;
  }

  get dialog(): Dialog | undefined {
    return this.#dialog;
  }

  get isCrashed(): boolean {
    return this.#crashed;
  }

  /** The sessions of the tab, its own first. */
  get sessions(): CdpSession[] {
    return [this.session, ...this.#children.values()];
  }

  /** Waits until the tab can be called. @throws CdpFailure if a dialog or a crash prevents that */
  async usable(): Promise<this> {
    await this.ready;
    if (this.#crashed) throw this.#crash();
    if (this.#dialog) throw dialogFailure(this.#dialog);
    return this;
  }

  /**
   * Lets the page take input as if it were shown and had the focus, which a tab behind another one does not.
   * @throws CdpFailure
   */
  takeInput(): Promise<unknown> {
    this.#takesInput ??= this.send('Emulation.setFocusEmulationEnabled', { enabled: true }).catch((error: unknown) => {
      this.#takesInput = undefined;
      throw error;
    });
    return this.#takesInput;
  }

  /** Calls the main session. @throws CdpFailure */
  send<M extends Method>(method: M, params?: ParamsOf<M>, ms = CALL_MS): Promise<ResultOf<M>> {
    return this.session.send(method, params, ms);
  }

  /** All frames, the main frame first; a frame that goes meanwhile is left out. @throws CdpFailure */
  frames(ms = CALL_MS): Promise<Frame[]> {
    return framesOf(this.session, [...this.#children.values()], ms);
  }

  /** Calls the listener with the id of each tab that this one opens, until the answer is disposed. */
  onOpened(listener: OpenedListener): Disposable {
    this.#openedListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#openedListeners.delete(listener) };
  }

  hasOpened(id: string): void {
    for (const listener of this.#openedListeners) listener(id);
  }

  /** Until the answer is disposed, or another document is shown, the page is left without asking it. */
  leave(): Disposable {
    const call = {};
    this.#leaving.add(call);
    return { [Symbol.dispose]: () => void this.#leaving.delete(call) };
  }

  /** A session for commands of callers: what they switch on or off concerns no other call. @throws CdpFailure */
  raw(browser: CdpSession): Promise<CdpSession> {
    this.#raw ??= browser
      .send('Target.attachToTarget', { targetId: this.id, flatten: true })
      .then(({ sessionId }) => new CdpSession(browser.connection, sessionId))
      .catch((error: unknown) => {
        this.#raw = undefined;
        throw error;
      });
    return this.#raw.then((session) => {
      // A page that has crashed answers nothing.
      if (this.#crashed) throw this.#crash();
      return session;
    });
  }

  crash(): void {
    this.#crashed = true;
    this.#dialog = undefined;
    const failure = this.#crash();
    for (const session of this.sessions) session.failCalls(failure);
    void this.#raw?.then((session) => session.failCalls(failure)).catch(ignore);
  }

  /** Answers the dialog that is open. @throws SandboxError `conflict` if none is */
  async answerDialog(accept: boolean, promptText: string | undefined): Promise<Dialog> {
    const dialog = this.#dialog;
    if (dialog === undefined) throw new SandboxError('conflict', 'the tab shows no dialog', { hint: NO_DIALOG_HINT });
    const text = promptText === undefined ? {} : { promptText };
    await this.session.send('Page.handleJavaScriptDialog', { accept, ...text });
    this.#dialog = undefined;
    return dialog;
  }

  /** The tab was closed, or the connection ended. */
  end(): void {
    if (this.gone.aborted) return;
    const failure = new CdpFailure('closed', `the tab ${this.id} is closed`);
    for (const session of this.sessions) session.end(failure);
    void this.#raw?.then((session) => session.end(failure)).catch(ignore);
    this.#log.forget(this.id);
    this.#ended.abort(failure);
  }

  #crash(): CdpFailure {
    return new CdpFailure('crashed', `the page of tab ${this.id} crashed`);
  }

  #openDialog(dialog: Dialog): void {
    if (this.#leaving.size > 0) {
      const accept = dialog.type === 'beforeunload';
      this.session.send('Page.handleJavaScriptDialog', { accept }).catch(ignore);
      return;
    }
    const { policy } = this.#dialogs;
    if (policy !== 'wait') {
      this.session.send('Page.handleJavaScriptDialog', { accept: policy === 'accept' }).catch(ignore);
      return;
    }
    this.#dialog = dialog;
    for (const session of this.sessions) session.failCalls(dialogFailure(dialog));
  }

  /** Switches on what every call needs, in one write, and lets a target continue that waits for its debugger. */
  #prepare(session: CdpSession): Promise<unknown> {
    this.#log.follow(session, this.id);
    session.on('Target.attachedToTarget', (event) => this.#attachFrame(event));
    session.on('Target.detachedFromTarget', ({ sessionId }) => this.#detachFrame(sessionId));
    const filter = [{ type: 'iframe' }];
    const prepared = Promise.allSettled([
      session.send('Page.enable', {}, READY_MS),
      session.send('Page.setLifecycleEventsEnabled', { enabled: true }, READY_MS),
      session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }, READY_MS),
      session.send('Inspector.enable', undefined, READY_MS),
      session.send(
        'Target.setAutoAttach',
        { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter },
        READY_MS,
      ),
    ]);
    session.send('Runtime.runIfWaitingForDebugger', undefined, READY_MS).catch(ignore);
    return prepared;
  }

  #attachFrame({ sessionId }: Protocol.Target.AttachedToTargetEvent): void {
    const child = new CdpSession(this.session.connection, sessionId);
    this.#children.set(sessionId, child);
    void this.#prepare(child);
  }

  #detachFrame(sessionId: string): void {
    this.#children.get(sessionId)?.end(new CdpFailure('closed', 'the frame is gone'));
    this.#children.delete(sessionId);
  }
}

function dialogFailure(dialog: Dialog): CdpFailure {
  const message = dialog.message.length > DIALOG_TEXT ? `${dialog.message.slice(0, DIALOG_TEXT)}…` : dialog.message;
  return new CdpFailure('dialog', `the tab shows a dialog (${dialog.type}): ${JSON.stringify(message)}`, {
    data: { dialog: { type: dialog.type, message } },
  });
}

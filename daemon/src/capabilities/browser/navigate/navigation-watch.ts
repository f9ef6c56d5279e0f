import { Waiters } from '@sandbox/api/wait.ts';
import type { CdpSession } from '../cdp/cdp-session.ts';
import type { Deadline } from '../page/deadline.ts';

/** How far a page has to have come. */
export const WAIT_UNTIL = ['load', 'domcontentloaded', 'networkidle', 'commit'] as const;
export type WaitUntil = (typeof WAIT_UNTIL)[number];

/** The lifecycle events of Blink. */
const LIFECYCLE: Readonly<Record<WaitUntil, string>> = {
  commit: 'commit',
  domcontentloaded: 'DOMContentLoaded',
  load: 'load',
  networkidle: 'networkIdle',
};

/** Beginning of the field Proxy-Status of the image's forwarder (images/proxy). */
const OWN_PROXY = 'sandbox-forwarder;';

/** What happens to the main frame of a tab from now on, until it is disposed. */
export class NavigationWatch implements Disposable {
  readonly #stack = new DisposableStack();
  readonly #changed = new Waiters();
  /** Lifecycle events by document. */
  readonly #reached = new Map<string, Set<string>>();
  readonly #statuses = new Map<string, number>();
  readonly #errors = new Map<string, string>();
  readonly #refusedByProxy = new Set<string>();
  /** The document that was shown last; undefined: none since the watch began. */
  loaderId: string | undefined;
  /** Its address. */
  url: string | undefined;
  /** The address that could not be opened, if an error page is shown. */
  unreachableUrl: string | undefined;
  /** The document came from memory, with all that it had loaded. */
  isRestored = false;
  /** The address changed without a new document. */
  isWithinDocument = false;
  /** A dialog keeps the page from coming any further. */
  hasDialog = false;
  hasCrashed = false;
  download: { readonly url: string; readonly filename: string } | undefined;

  constructor(session: CdpSession, mainFrameId: string) {
    const on: CdpSession['on'] = (event, handler) => this.#stack.use(session.on(event, handler));
    on('Page.frameNavigated', ({ frame, type }) => {
      if (frame.id !== mainFrameId) return;
      this.loaderId = frame.loaderId;
      this.url = frame.url + (frame.urlFragment ?? '');
      this.unreachableUrl = frame.unreachableUrl;
      this.isRestored = type === 'BackForwardCacheRestore';
      this.#changed.wake();
    });
    on('Page.navigatedWithinDocument', ({ frameId }) => {
      if (frameId !== mainFrameId) return;
      this.isWithinDocument = true;
      this.#changed.wake();
    });
    on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
      if (frameId !== mainFrameId) return;
      const names = this.#reached.get(loaderId) ?? new Set();
      this.#reached.set(loaderId, names.add(name));
      this.#changed.wake();
    });
    on('Network.responseReceived', ({ requestId, type, response }) => {
      if (type !== 'Document') return;
      this.#statuses.set(requestId, response.status);
      const mark = Object.entries(response.headers).find(([name]) => name.toLowerCase() === 'proxy-status')?.[1];
      if (String(mark ?? '').startsWith(OWN_PROXY)) this.#refusedByProxy.add(requestId);
    });
    on('Network.loadingFailed', ({ requestId, type, errorText }) => {
      if (type === 'Document') this.#errors.set(requestId, errorText);
    });
    on('Page.javascriptDialogOpening', ({ type }) => {
      // Before, it is one of the page that is left.
      this.hasDialog = this.loaderId !== undefined && type !== 'beforeunload';
      this.#changed.wake();
    });
    on('Inspector.targetCrashed', () => {
      this.hasCrashed = true;
      this.#changed.wake();
    });
    on('Page.downloadWillBegin', ({ url, suggestedFilename }) => {
      this.download = { url, filename: suggestedFilename };
      this.#changed.wake();
    });
  }

  /** HTTP status of a document; null if it has none. */
  statusOf(loaderId: string | undefined): number | null {
    return this.#statuses.get(loaderId ?? '') || null;
  }

  /** Whether the document is the text of the image's own forwarder, which did not reach the proxy (RFC 9209). */
  isOfProxy(loaderId: string | undefined): boolean {
    return this.#refusedByProxy.has(loaderId ?? '');
  }

  /** Why the document did not load, in the words of the browser. */
  errorOf(loaderId: string | undefined): string | undefined {
    return this.#errors.get(loaderId ?? '');
  }

  /** Waits until the browser has named the file of a download. */
  async namesDownload(deadline: Deadline, gone: AbortSignal): Promise<boolean> {
    return this.#until(() => this.download !== undefined, deadline, gone);
  }

  /** Waits until the frame shows another document, or has another address. @returns whether it came to that in time */
  async somewhere(deadline: Deadline, gone: AbortSignal): Promise<boolean> {
    return this.#until(() => this.loaderId !== undefined || this.isWithinDocument, deadline, gone);
  }

  /**
   * Waits until the document, or one that took its place, has come so far, or shows a dialog.
   * @returns whether it did in time
   */
  async reaches(loaderId: string, goal: WaitUntil, deadline: Deadline, gone: AbortSignal): Promise<boolean> {
    if (goal === 'commit') return this.somewhere(deadline, gone);
    const hasReached = (): boolean =>
      this.isRestored || this.hasDialog || this.#reached.get(this.loaderId ?? loaderId)?.has(LIFECYCLE[goal]) === true;
    return this.#until(hasReached, deadline, gone);
  }

  async #until(isDone: () => boolean, deadline: Deadline, signal: AbortSignal): Promise<boolean> {
    while (!isDone()) {
      if (deadline.isOver || signal.aborted || this.hasCrashed) return false;
      await this.#changed.next({ ms: deadline.left(), signal });
    }
    return true;
  }

  [Symbol.dispose](): void {
    this.#stack.dispose();
  }
}

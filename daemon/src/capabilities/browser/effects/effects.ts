import { Waiters } from '@sandbox/api/wait.ts';
import type { CdpSession } from '../cdp/cdp-session.ts';
import { shortUrl } from '../network/logged-request.ts';
import { Deadline } from '../page/deadline.ts';
import type { Dialog, Tab } from '../tabs/tab.ts';

/** Milliseconds for what a page has begun: another document, a tab, a download. */
const BEGUN_MS = 2000;
/** Milliseconds for a download to be named after its navigation has ended without a document. */
const DOWNLOAD_MS = 500;
/** Milliseconds for a page to say what it has begun. */
const FLUSH_MS = 1000;

/** What an input did besides. */
export interface Effects {
  /** Ids of the tabs that it opened. */
  readonly opened: readonly string[];
  /** Id of the download that it began. */
  readonly download: string | null;
  /** A dialog that waits for an answer. */
  readonly dialog: Dialog | null;
  /** Where the tab is now, if the address or the document changed. */
  readonly navigated: string | null;
}

/** What was not looked for, or did not happen. */
export const NO_EFFECTS: Effects = { opened: [], download: null, dialog: null, navigated: null };

/** Another document in this tab, another tab, or a file. */
type Begun = 'document' | 'tab' | 'download';

/** Notes what happens to a tab from now on, until it is disposed. */
class EffectsWatch implements Disposable {
  readonly #tab: Tab;
  readonly #stack = new DisposableStack();
  readonly #changed = new Waiters();
  readonly #opened: string[] = [];
  #download: string | null = null;
  #navigated: string | null = null;
  /** What the page has begun and what has not come to anything yet. */
  readonly #begun = new Set<Begun>();
  /** Set if a navigation ended without another document. */
  #withoutDocument: Deadline | undefined;

  constructor(tab: Tab) {
    this.#tab = tab;
    this.#stack.use(
      tab.onOpened((id) => {
        this.#opened.push(id);
        this.#come('tab');
      }),
    );
    for (const session of tab.sessions) this.#follow(session);
  }

  /** What happened. Waits for what the page has begun, and for nothing else. */
  async settle(): Promise<Effects> {
    const { gone } = this.#tab;
    // Its answer comes after the events of what the input began.
    if (!this.#tab.dialog && !gone.aborted) {
      await this.#tab.session.sendRaw('Runtime.evaluate', { expression: '0' }, FLUSH_MS).catch(() => undefined);
    }
    const deadline = new Deadline(BEGUN_MS);
    while (this.#begun.size > 0 && !this.#tab.dialog && !gone.aborted) {
      if (deadline.isOver || this.#withoutDocument?.isOver) break;
      const ms = Math.min(deadline.left(), this.#withoutDocument?.left() ?? BEGUN_MS);
      await this.#changed.next({ ms, signal: gone });
    }
    return {
      opened: this.#opened,
      download: this.#download,
      dialog: this.#tab.dialog ?? null,
      navigated: this.#navigated === null ? null : shortUrl(this.#navigated),
    };
  }

  [Symbol.dispose](): void {
    this.#stack.dispose();
  }

  #follow(session: CdpSession): void {
    const on: CdpSession['on'] = (event, handler) => this.#stack.use(session.on(event, handler));
    const isMain = (frameId: string): boolean => frameId === this.#tab.id;
    on('Page.frameRequestedNavigation', ({ frameId, disposition }) => {
      if (disposition === 'download') this.#begun.add('download');
      else if (disposition !== 'currentTab') this.#begun.add('tab');
      else if (isMain(frameId)) this.#begun.add('document');
    });
    on('Page.windowOpen', () => void this.#begun.add('tab'));
    on('Page.frameNavigated', ({ frame }) => {
      // An error page has an address of its own.
      if (isMain(frame.id)) this.#goTo(frame.unreachableUrl ?? frame.url + (frame.urlFragment ?? ''));
    });
    on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      if (isMain(frameId)) this.#goTo(url);
    });
    // An answer without content leaves the document as it is, and a download is named only after this event.
    on('Page.frameStoppedLoading', ({ frameId }) => {
      if (!isMain(frameId) || !this.#begun.delete('document')) return;
      this.#begun.add('download');
      this.#withoutDocument = new Deadline(DOWNLOAD_MS);
      this.#changed.wake();
    });
    on('Page.downloadWillBegin', ({ guid }) => {
      this.#download = guid;
      this.#come('document', 'download');
    });
    on('Page.javascriptDialogOpening', () => this.#changed.wake());
  }

  #goTo(url: string): void {
    this.#navigated = url;
    this.#come('document');
  }

  #come(...what: readonly Begun[]): void {
    for (const each of what) this.#begun.delete(each);
    this.#changed.wake();
  }
}

/** Runs what acts on a tab, and says what it did besides. */
export async function withEffects<T>(tab: Tab, act: () => Promise<T>): Promise<T & { readonly effects: Effects }> {
  using watch = new EffectsWatch(tab);
  const outcome = await act();
  return { ...outcome, effects: await watch.settle() };
}

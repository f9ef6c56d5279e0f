import { Waiters } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { BrowserEndpoint } from '../browser-endpoint.ts';
import { CdpFailure, isCdpFailure } from '../cdp/cdp-failure.ts';
import { CdpSession } from '../cdp/cdp-session.ts';
import type { Protocol } from '../cdp/cdp-types.ts';
import { shortUrl } from '../network/logged-request.ts';
import { watchForHang } from './hung-watch.ts';
import { Tab, type TabTerms } from './tab.ts';

/** The page of a tab that has shown no other. */
const EMPTY = 'about:blank';
/** Milliseconds until a tab that was opened is known. */
const OPEN_MS = 10_000;

export interface TabInfo {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly active: boolean;
  readonly crashed: boolean;
  readonly dialog: Tab['dialog'];
}

/** The tabs of one connected browser, those of pages and of other clients too. */
export class TabList {
  readonly #browser: CdpSession;
  readonly #endpoint: BrowserEndpoint;
  readonly #terms: TabTerms;
  readonly #tabs = new Map<string, Tab>();
  readonly #bySession = new Map<string, Tab>();
  readonly #changed = new Waiters();

  private constructor(browser: CdpSession, endpoint: BrowserEndpoint, terms: TabTerms) {
    this.#browser = browser;
    this.#endpoint = endpoint;
    this.#terms = terms;
    browser.on('Target.attachedToTarget', (event) => this.#attach(event));
    browser.on('Target.detachedFromTarget', ({ sessionId }) => this.#detach(sessionId));
    // A session may end without an event of its own: of a page that crashed, or that was replaced before it was shown.
    browser.on('Target.targetDestroyed', ({ targetId }) => this.#remove(this.#tabs.get(targetId)));
    browser.on('Target.targetCrashed', ({ targetId }) => this.#tabs.get(targetId)?.crash());
  }

  /** Attaches to all pages, and from now on to every new one before its first request. @throws CdpFailure */
  static async open(browser: CdpSession, endpoint: BrowserEndpoint, terms: TabTerms): Promise<TabList> {
    const tabs = new TabList(browser, endpoint, terms);
    const filter = [{ type: 'page' }];
    await Promise.all([
      browser.send('Target.setDiscoverTargets', { discover: true, filter }),
      browser.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter }),
    ]);
    return tabs;
  }

  get size(): number {
    return this.#tabs.size;
  }

  /** In the order in which they were opened. */
  get all(): Tab[] {
    return [...this.#tabs.values()];
  }

  /** @throws CdpFailure if no tab has the id */
  get(id: string): Tab {
    const tab = this.#tabs.get(id);
    if (tab === undefined) throw new CdpFailure('closed', `no tab with id ${id}`);
    return tab;
  }

  /** The tab of a call: the named one, else the one that was shown last. @throws CdpFailure */
  async find(id: string | undefined): Promise<Tab> {
    if (id !== undefined) return this.get(id);
    const [only] = this.#tabs.size === 1 ? this.#tabs.values() : [];
    return only ?? this.get(await this.#activeId());
  }

  /** All tabs, in the order in which they were opened. @throws CdpFailure */
  async list(): Promise<TabInfo[]> {
    const [{ targetInfos }, active] = await Promise.all([
      this.#browser.send('Target.getTargets', { filter: [{ type: 'page' }] }),
      this.#tabs.size === 0 ? undefined : this.#activeId().catch(noTab),
    ]);
    const infos = new Map(targetInfos.map((info) => [info.targetId, info]));
    return [...this.#tabs.values()].flatMap((tab) => {
      const info = infos.get(tab.id);
      if (info === undefined) return [];
      const { id, isCrashed: crashed, dialog } = tab;
      return [{ id, ...pageOf(info), active: id === active, crashed, dialog }];
    });
  }

  /**
   * A tab that is shown now, as `list` describes it.
   * @param opening the address that it was opened with, which it has from the first bytes of the answer on
   * @throws CdpFailure
   */
  async shown(id: string, opening?: string): Promise<TabInfo> {
    const { isCrashed: crashed, dialog } = this.get(id);
    const { targetInfo } = await this.#browser.send('Target.getTargetInfo', { targetId: id });
    return { id, ...pageOf(targetInfo, opening), active: true, crashed, dialog };
  }

  /**
   * Opens a tab; its page may still load.
   * @param isBehind whether it opens behind the tab that is shown @throws CdpFailure
   */
  async open(url = EMPTY, isBehind = false): Promise<Tab> {
    const { targetId } = await this.#browser.send('Target.createTarget', {
      url,
      ...(isBehind && { background: true }),
    });
    const deadline = performance.now() + OPEN_MS;
    while (!this.#tabs.has(targetId)) {
      const left = deadline - performance.now();
      if (left <= 0 || !this.#browser.connection.isOpen) throw new CdpFailure('timeout', 'the tab did not open');
      await this.#changed.next({ ms: left });
    }
    return this.get(targetId);
  }

  /** Shows the tab. @throws CdpFailure */
  async activate(id: string): Promise<Tab> {
    const tab = this.get(id);
    await this.#browser.send('Target.activateTarget', { targetId: id });
    return tab;
  }

  /**
   * Closes the tab; its `beforeunload` is not asked. An empty tab opens before the last one closes, since a browser
   * without tabs ends. @throws CdpFailure
   */
  async close(id: string): Promise<void> {
    const tab = this.get(id);
    if (this.#tabs.size === 1) await this.open();
    using _leaving = tab.leave();
    await this.#browser.send('Target.closeTarget', { targetId: id });
    const deadline = performance.now() + OPEN_MS;
    while (this.#tabs.has(id)) {
      const left = deadline - performance.now();
      if (left <= 0) throw new CdpFailure('timeout', `the tab ${id} did not close`);
      await this.#changed.next({ ms: left });
    }
  }

  /** The connection ended: so do all tabs. */
  end(): void {
    for (const tab of this.#tabs.values()) tab.end();
    this.#tabs.clear();
    this.#bySession.clear();
    this.#changed.wake();
  }

  async #activeId(): Promise<string> {
    const pages = await this.#endpoint.pages().catch((error: unknown) => {
      throw new CdpFailure('timeout', 'the browser does not list its tabs', { cause: error });
    });
    const shown = pages.find(({ id }) => this.#tabs.has(id))?.id ?? (await this.#firstAlive());
    if (shown === undefined) throw new CdpFailure('closed', 'no tab is open', { hint: 'POST tabs opens one' });
    return shown;
  }

  /** Forgets tabs whose end the browser did not report. @returns the id of the first that is left */
  async #firstAlive(): Promise<string | undefined> {
    const { targetInfos } = await this.#browser.send('Target.getTargets', { filter: [{ type: 'page' }] });
    const alive = new Set(targetInfos.map(({ targetId }) => targetId));
    for (const tab of this.#tabs.values()) if (!alive.has(tab.id)) this.#remove(tab);
    return [...this.#tabs.keys()][0];
  }

  /** A tab that is known has further sessions, which belong to the calls that asked for them. */
  #attach({ sessionId, targetInfo }: Protocol.Target.AttachedToTargetEvent): void {
    if (this.#tabs.has(targetInfo.targetId)) return;
    const tab = new Tab(targetInfo.targetId, new CdpSession(this.#browser.connection, sessionId), this.#terms);
    this.#tabs.set(tab.id, tab);
    this.#tabs.get(targetInfo.openerId ?? '')?.hasOpened(tab.id);
    if (this.#terms.hungMs > 0) void watchForHang(tab, this.#browser, this.#terms.hungMs);
    this.#bySession.set(sessionId, tab);
    this.#changed.wake();
  }

  #detach(sessionId: string): void {
    const tab = this.#bySession.get(sessionId);
    this.#bySession.delete(sessionId);
    this.#remove(tab);
  }

  #remove(tab: Tab | undefined): void {
    if (tab === undefined || this.#tabs.get(tab.id) !== tab) return;
    tab.end();
    this.#tabs.delete(tab.id);
    // A client of DevTools or a person closed the last tab. A browser that ends meanwhile refuses the new one.
    if (this.#tabs.size === 0 && this.#terms.keepsRunning) this.open().catch(ignore);
    this.#changed.wake();
  }
}

/** A list without tabs is empty, not a failure. */
function noTab(error: unknown): undefined {
  if (isCdpFailure(error, 'closed')) return undefined;
  throw error;
}

/** The target of a tab that has no page yet has no address. */
export function pageOf(
  { url, title }: Pick<Protocol.Target.TargetInfo, 'url' | 'title'>,
  opening = EMPTY,
): Pick<TabInfo, 'url' | 'title'> {
  return { url: shortUrl(url === '' ? opening : url), title };
}

import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { imageName } from '@sandbox/program/product.ts';
import { AccountPrograms } from '../../core/account/account-programs.ts';
import type { BrowserLife } from '../../core/browser/browser-life.ts';
import type { Core } from '../../core/core.ts';
import { DESKTOP, type Desktop, type InputAction, type Picture, type Size } from '../../core/desktop/desktop.ts';
import { ShellPaths } from '../../core/files/shell-paths.ts';
import type { PortReader } from '../../core/ports/port.ts';
import { BrowserEndpoint, type BrowserTerms } from './browser-endpoint.ts';
import { BrowserLink, type BrowserStart, type LiveBrowser } from './cdp/browser-link.ts';
import { isCdpFailure } from './cdp/cdp-failure.ts';
import { CdpSession } from './cdp/cdp-session.ts';
import { AgentBrowserCli } from './delegate/agent-browser-cli.ts';
import { CliSessions } from './delegate/cli-sessions.ts';
import { DelegatedSuite } from './delegate/delegated-suite.ts';
import { BUILT_IN, type RefSuite } from './delegate/ref-suite.ts';
import { Downloads, listedDownload } from './downloads/downloads.ts';
import { type Effects, NO_EFFECTS, withEffects } from './effects/effects.ts';
import { begun } from './element/click.ts';
import { RefNumbers } from './element/ref-numbers.ts';
import { prepareAction } from './input/perform.ts';
import { RequestLog } from './network/request-log.ts';
import { done, type Outcome } from './page/outcome.ts';
import { type PagePicture, pictureOf } from './page/screenshot.ts';
import { resizeWindow, sizesOf } from './page/window.ts';
import { PublicUrls } from './public-urls.ts';
import { BrowserStarter } from './start/browser-starter.ts';
import type { DialogPolicy, Tab } from './tabs/tab.ts';

const NO_WORKER = 'computer-use worker is not available';
const NO_WORKER_HINT = 'use the desktop image, or target=page';
const NO_SIZE: Size = { width: 0, height: 0 };
/** Milliseconds for what the browser answers without a page. */
const ASK_MS = 5000;
const NO_BROWSER_HINT =
  'start the browser (POST start in the images), or set BROWSER_REMOTE_DEBUGGING_HOST and _PORT to one that runs';
const NO_STARTER_HINT = `nothing here starts a browser: start one with --remote-debugging-port and name it by BROWSER_REMOTE_DEBUGGING_HOST and _PORT, or use the full image ${imageName('daemon')} or ${imageName('desktop')}`;
const MANUAL_HINT = 'BROWSER_START_MODE is manual: POST /v2/browser/start starts the browser and waits for it';

interface Described {
  readonly userAgent: string;
  readonly viewport: Size;
  readonly pageViewport: Size | null;
}

/** What a picture is of. `auto`: the display if a worker serves it, unless an option is about the page. */
export type PictureTarget = 'auto' | 'page' | 'display';

interface ScreenshotRequest extends PagePicture {
  readonly target: PictureTarget;
  readonly tabId?: string | undefined;
}

/** A picture after an action, as the answer has it. */
type TakenPicture = { readonly screenshot: string } | { readonly screenshot_error: string } | Record<never, never>;

/** The browser as the routes see it. Rules of one kind of call are in the folder of that kind. */
export class BrowserService implements AsyncDisposable, BrowserLife {
  readonly endpoint: BrowserEndpoint;
  readonly starter: BrowserStarter;
  readonly requests = new RequestLog();
  readonly downloads = new Downloads();
  readonly dialogs: DialogPolicy = { policy: 'wait' };
  readonly suite: RefSuite;
  /** Links to the browser. */
  readonly urls: PublicUrls;
  /** Of requests. */
  readonly paths: ShellPaths;
  readonly #ports: PortReader;
  readonly #link: BrowserLink;
  readonly #isOnDemand: boolean;
  #raw: { readonly of: LiveBrowser; readonly session: Promise<CdpSession> } | undefined;

  private constructor(core: Core, terms: BrowserTerms, ports: PortReader, programs: AccountPrograms | undefined) {
    this.#ports = ports;
    this.urls = new PublicUrls(core.tickets);
    this.paths = new ShellPaths(core.config.defaultUser, core.platform);
    this.endpoint = new BrowserEndpoint(terms);
    this.starter = new BrowserStarter({ fifo: terms.browserStarter, version: () => this.endpoint.version() });
    const { browserStartMode: mode, browserStarter, browserOnDemand = false } = terms;
    this.#isOnDemand = browserOnDemand && browserStarter !== undefined;
    const isSupervised = browserStarter !== undefined && mode !== 'manual';
    const numbers = new RefNumbers(core.runtime.directory('browser'));
    const hungMs = (terms.hungTabSeconds ?? 0) * 1000;
    const shared = { log: this.requests, numbers, dialogs: this.dialogs, keepsRunning: isSupervised, hungMs };
    const start: BrowserStart = {
      isUnderWay: () => this.starter.isStarting || isSupervised,
      hint: hintOf(terms),
    };
    this.#link = new BrowserLink(this.endpoint, shared, start, {
      logger: core.logger,
      follow: (browser) => this.downloads.follow(browser),
    });
    this.suite = suiteOf(terms.agentBrowser, programs, this.endpoint);
  }

  static async open(core: Core, terms: BrowserTerms, ports: PortReader): Promise<BrowserService> {
    const programs = terms.agentBrowser === undefined ? undefined : await AccountPrograms.open(core);
    return new BrowserService(core, terms, ports, programs);
  }

  /**
   * The browser that is connected now; waits for one that starts.
   * @param ms most milliseconds of that wait
   * @throws SandboxError `unavailable` without a browser
   */
  use(ms?: number): Promise<LiveBrowser> {
    return this.#link.use(ms);
  }

  /**
   * The browser for a call that acts: it is started if `SVC_BROWSER_ON_DEMAND` says so.
   * @throws SandboxError as `use`
   */
  useToAct(ms?: number): Promise<LiveBrowser> {
    // A start that fails is what the call then meets.
    if (this.#isOnDemand && this.#link.tabs === undefined) this.starter.start().catch(ignore);
    return this.use(ms);
  }

  awake(): Promise<unknown> {
    return this.useToAct();
  }

  async listDownloads(): ReturnType<BrowserLife['listDownloads']> {
    await this.use();
    return this.downloads.list().map(listedDownload);
  }

  /** The tab of a call: the named one, else the one that a person would see. @throws SandboxError */
  async tab(id: string | undefined, ms?: number): Promise<Tab> {
    const { tabs } = await this.use(ms);
    return tabs.find(id);
  }

  /** The tab of a call that acts on a page that may not be open yet. @throws SandboxError */
  async tabToAct(id: string | undefined, ms?: number): Promise<Tab> {
    const { tabs } = await this.useToAct(ms);
    return tabs.find(id);
  }

  /** The tab of a navigation: a browser without tabs gets one. @throws SandboxError */
  async tabToOpen(id: string | undefined, ms?: number): Promise<Tab> {
    const { tabs } = await this.useToAct(ms);
    return id === undefined && tabs.size === 0 ? tabs.open() : tabs.find(id);
  }

  /** Tabs that are open, as far as a browser is connected. */
  get tabCount(): number {
    return this.#link.tabs?.size ?? 0;
  }

  /**
   * The display, if a picture or an action is of it: with `auto`, if a worker serves it.
   * @throws SandboxError `unavailable` if it is asked for and no worker serves it
   */
  async displayFor(target: PictureTarget): Promise<Desktop | undefined> {
    const desktop = target === 'page' ? undefined : this.#ports.get(DESKTOP);
    const isThere = desktop !== undefined && (await desktop.isAvailable());
    if (isThere) return desktop;
    if (target === 'display') throw new SandboxError('unavailable', NO_WORKER, { hint: NO_WORKER_HINT });
    return undefined;
  }

  /** @throws SandboxError `invalid` if the whole page and an element are asked for, and as `displayFor` and `tab` */
  async screenshot({ target, tabId, ...page }: ScreenshotRequest): Promise<{
    readonly picture: Picture;
    readonly source: 'display' | 'page';
  }> {
    const { fullPage, selector, ...terms } = page;
    if (fullPage && selector !== undefined) {
      throw new SandboxError('invalid', 'and selector exclude each other', { field: 'fullPage' });
    }
    const isOfPage = fullPage || selector !== undefined || tabId !== undefined;
    const desktop = await this.displayFor(target === 'auto' && isOfPage ? 'page' : target);
    if (desktop) return { picture: await desktop.screenshot(terms), source: 'display' };
    return { picture: await pictureOf(await this.tabToAct(tabId), page), source: 'page' };
  }

  /** Performs an action on the display, or as input of the page. @throws SandboxError if nothing was done */
  async act(
    action: InputAction,
    tabId: string | undefined,
    { wantsPicture, requestId }: { readonly wantsPicture: boolean; readonly requestId: string },
  ): Promise<{
    readonly outcome: Outcome<{ readonly tabId: string | null }>;
    readonly effects: Effects;
    readonly picture: TakenPicture;
  }> {
    const desktop = await this.displayFor(tabId === undefined ? 'auto' : 'page');
    const tab = desktop ? undefined : await this.tabToAct(tabId);
    const take = (): ReturnType<Desktop['screenshot']> =>
      desktop
        ? desktop.screenshot({ format: 'png', scale: 1 })
        : this.tab(tab?.id).then((shown) => pictureOf(shown, { format: 'png', scale: 1, fullPage: false }));
    const { effects, ...outcome } = tab
      ? await withEffects(tab, () => inPage(tab, action))
      : { ...(await onDisplay(desktop, action, requestId)), effects: NO_EFFECTS };
    return { outcome, effects, picture: wantsPicture ? await pictureAfter(take) : {} };
  }

  /** What the browser is and how large it is. @throws SandboxError */
  async describe(): Promise<Described> {
    const { session, tabs } = await this.use();
    const desktop = await this.displayFor('auto');
    const [{ userAgent }, sizes, display] = await Promise.all([
      session.send('Browser.getVersion', undefined, ASK_MS),
      tabs.find(undefined).then(sizesOf).catch(unknownSizes),
      desktop?.size(),
    ]);
    return { userAgent, viewport: display ?? sizes?.screen ?? NO_SIZE, pageViewport: sizes?.page ?? null };
  }

  /** Resizes the display, or the window of the tab that is shown. @throws SandboxError */
  async resize(size: Size): Promise<void> {
    const desktop = await this.displayFor('auto');
    if (desktop) await desktop.resize(size);
    else await resizeWindow(await this.tab(undefined), size);
  }

  /**
   * A session for a command of a caller: of a tab, or of the browser. A dialog is known to the sessions that saw it
   * open, which the tab's own always did. @throws SandboxError
   */
  async rawSession(method: string, of: { readonly tabId: string | undefined } | undefined): Promise<CdpSession> {
    const live = await this.use();
    if (of) {
      const tab = await live.tabs.find(of.tabId);
      return method === 'Page.handleJavaScriptDialog' ? tab.session : tab.raw(live.session);
    }
    if (this.#raw?.of !== live) this.#raw = { of: live, session: attachToBrowser(live.session) };
    return this.#raw.session;
  }

  /** Address of the shown page, for cookies that name no place; undefined if all do. */
  async shownUrl(cookies: readonly { readonly domain?: string | undefined; readonly url?: string | undefined }[]) {
    if (cookies.every(({ domain, url }) => domain !== undefined || url !== undefined)) return undefined;
    const tab = await this.tab(undefined);
    const { targetInfo } = await tab.send('Target.getTargetInfo', {}, ASK_MS);
    return targetInfo.url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.suite[Symbol.asyncDispose]?.();
    await this.#link[Symbol.asyncDispose]();
  }
}

function hintOf({ browserStarter, browserStartMode }: BrowserTerms): string {
  if (browserStarter === undefined) return NO_STARTER_HINT;
  return browserStartMode === 'manual' ? MANUAL_HINT : NO_BROWSER_HINT;
}

function suiteOf(cli: string | undefined, programs: AccountPrograms | undefined, endpoint: BrowserEndpoint): RefSuite {
  if (cli === undefined || programs === undefined) return BUILT_IN;
  return new DelegatedSuite(new CliSessions(new AgentBrowserCli(programs, cli), endpoint));
}

async function attachToBrowser(session: CdpSession): Promise<CdpSession> {
  const { sessionId } = await session.send('Target.attachToBrowserTarget', undefined, ASK_MS);
  return new CdpSession(session.connection, sessionId);
}

async function inPage(tab: Tab, action: InputAction): Promise<Outcome<{ tabId: string }>> {
  await tab.usable();
  const input = prepareAction(tab, action);
  await tab.takeInput();
  return begun({ tabId: tab.id }, action.type, input);
}

async function onDisplay(
  desktop: Desktop | undefined,
  action: InputAction,
  requestId: string,
): Promise<Outcome<{ tabId: null }>> {
  const data = { tabId: null };
  return { data, ...((await desktop?.perform(action, requestId)) ?? done(data, action.type)) };
}

async function pictureAfter(take: () => ReturnType<Desktop['screenshot']>): Promise<TakenPicture> {
  try {
    return { screenshot: (await take()).bytes.toString('base64') };
  } catch (error) {
    if (error instanceof SandboxError) return { screenshot_error: error.message };
    throw error;
  }
}

/** A page that cannot be asked has no size. */
function unknownSizes(error: unknown): undefined {
  if (isCdpFailure(error)) return undefined;
  throw error;
}

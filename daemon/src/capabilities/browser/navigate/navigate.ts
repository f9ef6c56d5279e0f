import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { isCdpFailure } from '../cdp/cdp-failure.ts';
import { shortUrl } from '../network/logged-request.ts';
import { Deadline } from '../page/deadline.ts';
import { done, type Outcome, undone } from '../page/outcome.ts';
import type { Tab } from '../tabs/tab.ts';
import { type FailureReason, reasonOf, wordsOf } from './failure-reason.ts';
import { NavigationWatch, type WaitUntil } from './navigation-watch.ts';

/** Longest address, in characters; Chromium takes none that is longer. */
export const URL_MAX = 2 * 1024 ** 2;
const NETWORK_CHANGED = 'net::ERR_NETWORK_CHANGED';
const ATTEMPTS = 4;
/** Milliseconds until the browser must have named the file of a download. */
const DOWNLOAD_MS = 1000;
const DIALOG_HINT = 'POST dialog answers it; GET tabs shows what it says';
/** Milliseconds for a call that the browser answers without the page. */
const ASK_MS = 5000;

export type Destination = { readonly url: string } | { readonly history: 'back' | 'forward' | 'reload' };

export interface NavigateTerms {
  readonly waitUntil: WaitUntil;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

/** Where the tab is after a navigation. */
export interface Arrival {
  readonly tabId: string;
  readonly url: string;
  readonly title: string;
  /** HTTP status; null if the address has none. */
  readonly status: number | null;
  readonly error: { readonly reason: FailureReason; readonly code: string | null } | null;
  readonly download: { readonly url: string; readonly filename: string } | null;
}

/** What came of the first step: the document that is to be waited for, or why there is none. */
type Begun =
  | { readonly loaderId: string }
  | { readonly stays: true }
  | { readonly reason: FailureReason; readonly code: string | null };

/**
 * Opens an address or an entry of the history. An address that cannot be reached is an outcome without success, because
 * the page was left already. @throws SandboxError before that
 */
export async function navigate(tab: Tab, to: Destination, terms: NavigateTerms): Promise<Outcome<Arrival>> {
  const deadline = new Deadline(terms.timeoutMs);
  if ('url' in to) requireAddress(to.url);
  await tab.ready;
  using _leaving = tab.leave();
  using watch = new NavigationWatch(tab.session, tab.id);
  const begun = await begin(tab, to, watch, deadline);
  if ('reason' in begun) {
    if (begun.reason === 'timeout') await tab.send('Page.stopLoading', undefined, ASK_MS).catch(() => undefined);
    return failed(tab, watch, begun);
  }
  if ('stays' in begun) return arrived(tab, watch);
  if (await watch.reaches(begun.loaderId, terms.waitUntil, deadline, tab.gone)) {
    const isOfProxy = watch.isOfProxy(watch.loaderId ?? begun.loaderId);
    return isOfProxy ? failed(tab, watch, { reason: 'proxy', code: null }) : arrived(tab, watch);
  }
  const hasCrashed = watch.hasCrashed || tab.isCrashed;
  const reason = tab.gone.aborted ? 'closed' : hasCrashed ? 'crashed' : 'timeout';
  return failed(tab, watch, { reason, code: null });
}

/** @throws SandboxError `invalid` */
function requireAddress(url: string): void {
  if (url.length > URL_MAX) throw new SandboxError('invalid', `is over ${URL_MAX} characters`, { field: 'url' });
  if (!URL.canParse(url)) {
    throw new SandboxError('invalid', `is not an address: ${url.slice(0, 200)}`, {
      field: 'url',
      hint: 'begin with the scheme: https://example.com',
    });
  }
  if (new URL(url).protocol === 'javascript:') {
    throw new SandboxError('invalid', 'is a script', { field: 'url', hint: 'POST evaluate runs scripts' });
  }
}

function begin(tab: Tab, to: Destination, watch: NavigationWatch, deadline: Deadline): Promise<Begun> {
  const begun = 'url' in to ? open(tab, to.url, watch, deadline) : throughHistory(tab, to.history, watch, deadline);
  return begun.catch((error: unknown) => {
    if (isCdpFailure(error, 'timeout')) return { reason: 'timeout', code: null };
    if (isCdpFailure(error, 'crashed')) return { reason: 'crashed', code: null };
    if (isCdpFailure(error, 'closed', 'lost') && tab.gone.aborted) return { reason: 'closed', code: null };
    throw error;
  });
}

async function open(tab: Tab, url: string, watch: NavigationWatch, deadline: Deadline): Promise<Begun> {
  let answer = await tab.send('Page.navigate', { url }, deadline.left());
  // An interface of the machine came or went, which says nothing of the address.
  for (let attempt = 1; answer.errorText === NETWORK_CHANGED && attempt < ATTEMPTS; attempt += 1) {
    answer = await tab.send('Page.navigate', { url }, deadline.left());
  }
  const { loaderId, errorText, isDownload } = answer;
  if (errorText === undefined) return loaderId === undefined ? { stays: true } : { loaderId };
  // Until its error page is there, the tab takes no further call.
  if (!errorText.endsWith('ERR_ABORTED')) await watch.somewhere(new Deadline(ASK_MS), tab.gone);
  watch.loaderId = loaderId;
  if (isDownload) {
    await watch.namesDownload(new Deadline(DOWNLOAD_MS), tab.gone);
    return { reason: 'download', code: errorText };
  }
  // An answer without content keeps the page, one that is empty is shown as an error page: the server was reached.
  if (watch.statusOf(loaderId) !== null) return { stays: true };
  return { reason: tab.isCrashed ? 'crashed' : reasonOf(errorText), code: errorText };
}

/** The browser says nothing of what came of it: the events of the frame do. */
async function throughHistory(
  tab: Tab,
  history: 'back' | 'forward' | 'reload',
  watch: NavigationWatch,
  deadline: Deadline,
): Promise<Begun> {
  if (history === 'reload') await tab.send('Page.reload', {}, deadline.left());
  else await tab.send('Page.navigateToHistoryEntry', { entryId: await entryId(tab, history) }, deadline.left());
  if (!(await watch.somewhere(deadline, tab.gone))) {
    return { reason: tab.gone.aborted ? 'closed' : 'timeout', code: null };
  }
  const { loaderId, unreachableUrl } = watch;
  if (loaderId === undefined) return { stays: true };
  if (unreachableUrl === undefined) return { loaderId };
  if (watch.statusOf(loaderId) !== null) return { stays: true };
  const code = watch.errorOf(loaderId) ?? null;
  return { reason: code === null ? 'network' : reasonOf(code), code };
}

/** @throws SandboxError `conflict` if the history has no such entry */
async function entryId(tab: Tab, history: 'back' | 'forward'): Promise<number> {
  const { currentIndex, entries } = await tab.send('Page.getNavigationHistory', undefined, ASK_MS);
  const entry = entries[currentIndex + (history === 'back' ? -1 : 1)];
  if (entry === undefined) throw new SandboxError('conflict', `the tab has no page to go ${history} to`);
  return entry.id;
}

async function arrived(tab: Tab, watch: NavigationWatch): Promise<Outcome<Arrival>> {
  const arrival = await whereIs(tab, watch, null);
  const { status, url } = arrival;
  const message = status === null ? `opened ${shortUrl(url)}` : `opened ${shortUrl(url)}: HTTP ${status}`;
  return tab.dialog ? done(arrival, `${message}; it shows a dialog`, DIALOG_HINT) : done(arrival, message);
}

async function failed(
  tab: Tab,
  watch: NavigationWatch,
  { reason, code }: { readonly reason: FailureReason; readonly code: string | null },
): Promise<Outcome<Arrival>> {
  const [message, hint] = wordsOf(reason);
  const error = { reason, code };
  const { unreachableUrl: url } = watch;
  // The browser may still name the title of the page before, and an address of its own for the error page.
  const shown = await whereIs(tab, watch, error);
  const isErrorPage = url !== undefined || reason === 'proxy';
  const arrival = isErrorPage ? { ...shown, url: url === undefined ? shown.url : shortUrl(url), title: '' } : shown;
  return undone(arrival, code === null ? message : `${message} (${code.replace('net::', '')})`, hint);
}

async function whereIs(tab: Tab, watch: NavigationWatch, error: Arrival['error']): Promise<Arrival> {
  const nowhere = { url: '', title: '' };
  const { url, title } = await tab
    .send('Target.getTargetInfo', {}, ASK_MS)
    .then(({ targetInfo }) => targetInfo)
    .catch(() => nowhere);
  const download = watch.download ? { ...watch.download, url: shortUrl(watch.download.url) } : null;
  // For a moment after a document was replaced, the browser names no address.
  const shown = url === '' ? (watch.url ?? '') : url;
  return { tabId: tab.id, url: shortUrl(shown), title, status: watch.statusOf(watch.loaderId), error, download };
}

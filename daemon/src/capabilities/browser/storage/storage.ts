import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { LiveBrowser } from '../cdp/browser-link.ts';
import { isCdpFailure } from '../cdp/cdp-failure.ts';
import { type Cookie, findCookies } from '../cookies/cookies.ts';
import { callIn, isReplaced, PageException } from '../page/world.ts';
import type { Tab } from '../tabs/tab.ts';

/** Milliseconds for one page, and for a page that is opened to fill its storage. */
const LOOK_MS = 5000;
/** Characters of what is kept for pages that one answer has. */
const TEXT_MAX = 8 * 1024 ** 2;
const READ = 'function() { return Object.entries(localStorage).map(([name, value]) => ({ name, value })); }';
const WRITE = `function(items) {
  for (const { name, value } of items) localStorage.setItem(name, value);
}`;

interface Item {
  readonly name: string;
  readonly value: string;
}

export interface OriginStorage {
  readonly origin: string;
  readonly localStorage: readonly Item[];
}

/** All cookies, and the local storage of the origins that open pages and their frames have. @throws SandboxError */
export async function readStorage({ session, tabs }: LiveBrowser): Promise<{
  readonly cookies: Cookie[];
  readonly origins: OriginStorage[];
}> {
  const cookies = await findCookies(session, {});
  const found = new Map<string, OriginStorage>();
  let left = TEXT_MAX;
  for (const tab of tabs.all) {
    for (const entry of await originsOf(tab)) {
      if (entry.localStorage.length === 0 || found.has(entry.origin)) continue;
      left -= entry.localStorage.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
      if (left < 0) {
        throw new SandboxError('too_large', `the storage of the pages is over ${TEXT_MAX} characters`, {
          hint: 'POST evaluate reads the items of one page',
        });
      }
      found.set(entry.origin, entry);
    }
  }
  return { cookies, origins: [...found.values()] };
}

/** A page that cannot be asked has none. */
async function originsOf(tab: Tab): Promise<OriginStorage[]> {
  const read: OriginStorage[] = [];
  try {
    await tab.usable();
    for (const frame of await tab.frames(LOOK_MS)) {
      const origin = URL.parse(frame.url)?.origin ?? 'null';
      if (origin === 'null') continue;
      read.push({ origin, localStorage: await callIn<Item[]>(frame, READ, { ms: LOOK_MS }) });
    }
  } catch (error) {
    if (!isCdpFailure(error) && !isReplaced(error) && !(error instanceof PageException)) throw error;
  }
  return read;
}

/**
 * Adds items to the local storage of origins, without a request to them: a tab of its own shows an empty document of
 * each. @throws SandboxError `invalid` for an address that has no storage
 */
export async function writeStorage({ tabs }: LiveBrowser, origins: readonly OriginStorage[]): Promise<void> {
  for (const { origin } of origins) requireOrigin(origin);
  if (origins.length === 0) return;
  const tab = await tabs.open(undefined, true);
  try {
    await tab.ready;
    using _answering = tab.session.on('Fetch.requestPaused', ({ requestId }) => {
      const headers = [{ name: 'content-type', value: 'text/html' }];
      tab
        .send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders: headers })
        .catch(() => undefined);
    });
    await tab.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, LOOK_MS);
    for (const { origin, localStorage } of origins) await fill(tab, origin, localStorage);
  } finally {
    await tabs.close(tab.id).catch(() => undefined);
  }
}

async function fill(tab: Tab, origin: string, items: readonly Item[]): Promise<void> {
  await tab.send('Page.navigate', { url: `${origin}/` }, LOOK_MS);
  const [main] = await tab.frames(LOOK_MS);
  if (main === undefined || URL.parse(main.url)?.origin !== origin)
    throw refused(origin, 'the browser does not open it');
  try {
    await callIn(main, WRITE, { args: [items], ms: LOOK_MS });
  } catch (error) {
    if (!(error instanceof PageException)) throw error;
    throw refused(origin, error.message.split('\n', 1)[0] ?? '');
  }
}

function requireOrigin(origin: string): void {
  const url = URL.parse(origin);
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.origin === origin;
  if (!isWeb) throw refused(origin, 'it is not an origin such as https://example.com');
}

function refused(origin: string, why: string): SandboxError {
  return new SandboxError('invalid', `cannot be filled for ${origin.slice(0, 200)}: ${why}`, { field: 'origins' });
}

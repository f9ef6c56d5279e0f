import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { isCdpFailure } from '../cdp/cdp-failure.ts';
import type { CdpSession } from '../cdp/cdp-session.ts';
import type { Protocol } from '../cdp/cdp-types.ts';

/** Milliseconds for a call about cookies. */
const COOKIES_MS = 10_000;
/** A time that has passed, by which a cookie is removed: seconds since 1970. */
const PAST = 1;

export type Cookie = Protocol.Network.Cookie;
export type NewCookie = Protocol.Network.CookieParam;

/** Which cookies are meant; all of them if nothing is given. */
export interface CookieFilter {
  /** Addresses that the browser would send them to. */
  readonly urls?: readonly string[];
  /** The domain, or one above it. */
  readonly domain?: string | undefined;
  readonly name?: string | undefined;
}

/** @throws CdpFailure */
export async function findCookies(browser: CdpSession, filter: CookieFilter): Promise<Cookie[]> {
  const { cookies } = await browser.send('Storage.getCookies', {}, COOKIES_MS);
  const { urls = [], domain, name } = filter;
  const addresses = urls.map(addressOf);
  return cookies.filter(
    (cookie) =>
      (name === undefined || cookie.name === name) &&
      (domain === undefined || isWithin(hostOf(cookie), domain.replace(/^\./, ''))) &&
      (addresses.length === 0 || addresses.some((address) => isSentTo(cookie, address))),
  );
}

/** @param fallbackUrl address of cookies that name neither domain nor url @throws SandboxError `invalid` */
export async function setCookies(
  browser: CdpSession,
  cookies: readonly NewCookie[],
  fallbackUrl?: string,
): Promise<void> {
  for (const [index, given] of cookies.entries()) {
    const isPlaced = given.domain !== undefined || given.url !== undefined;
    const cookie = isPlaced || fallbackUrl === undefined ? given : { ...given, url: fallbackUrl };
    try {
      await browser.send('Storage.setCookies', { cookies: [cookie] }, COOKIES_MS);
    } catch (error) {
      if (!isCdpFailure(error, 'protocol')) throw error;
      throw new SandboxError('invalid', `cookie ${index} (${given.name.slice(0, 100)}) is refused: ${error.message}`, {
        field: 'cookies',
        hint: 'a cookie has name, value, and a domain (with path) or an url; __Host- and Secure need https',
      });
    }
  }
}

/** Removes cookies; answers those that it removed. @throws CdpFailure */
export async function removeCookies(browser: CdpSession, filter: CookieFilter): Promise<Cookie[]> {
  const found = await findCookies(browser, filter);
  const { urls = [], domain, name } = filter;
  if (urls.length === 0 && domain === undefined && name === undefined) {
    await browser.send('Storage.clearCookies', {}, COOKIES_MS);
    return found;
  }
  for (const { size: _size, session: _session, ...cookie } of found) {
    const cookies = [{ ...cookie, expires: PAST }] as NewCookie[];
    await browser.send('Storage.setCookies', { cookies }, COOKIES_MS);
  }
  return found;
}

function addressOf(url: string): URL {
  if (URL.canParse(url)) return new URL(url);
  throw new SandboxError('invalid', `contains an invalid URL: ${url.slice(0, 200)}`, { field: 'urls' });
}

function hostOf({ domain }: Cookie): string {
  return domain.replace(/^\./, '').toLowerCase();
}

function isWithin(host: string, domain: string): boolean {
  const wanted = domain.toLowerCase();
  return host === wanted || host.endsWith(`.${wanted}`);
}

/** RFC 6265 §5.1.3, §5.1.4, §5.4. */
function isSentTo(cookie: Cookie, { hostname, pathname, protocol }: URL): boolean {
  const host = hostOf(cookie);
  const isDomain = cookie.domain.startsWith('.') ? isWithin(hostname, host) : hostname === host;
  const { path } = cookie;
  const isPath =
    pathname === path || (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'));
  return isDomain && isPath && (!cookie.secure || protocol === 'https:' || hostname === 'localhost');
}

import { createHmac, timingSafeEqual } from 'node:crypto';
import { PAGES, type Page, prefixesOfPage } from '@sandbox/program/pages.ts';
import { covers, isUnder } from '../../core/access/path-prefix.ts';
import type { AgeClock } from '../../core/clock/age-clock.ts';
import type { ApiKey } from './api-key.ts';

/** Lifetime of the cookie, in seconds. */
const LIFETIME_SECONDS = 12 * 3600;
const NAME = /^svc_session(_[a-z0-9_-]+)?$/;

/**
 * The cookie that replaces the key on the pages of the gateway. It is signed with a key derived from the API key, so a
 * new API key invalidates it. It is valid for the prefixes of one page; the landing page's is valid for all paths.
 * Its end is a tick: a wall clock that is set neither shortens nor prolongs it.
 */
export class SessionCookies {
  readonly #signingKey: Buffer;
  readonly #clock: AgeClock;
  readonly #pages: readonly Page[];

  constructor(key: ApiKey, clock: AgeClock, pages: readonly Page[] = PAGES) {
    this.#clock = clock;
    this.#pages = pages;
    this.#signingKey = key.derive('session cookie');
  }

  /**
   * The `Set-Cookie` value for a page that was opened with a credential in its query; undefined if the path is no page.
   * The prefix of a ticket restricts the paths of the cookie.
   * @param options `now`: tick
   */
  issue(path: string, options: { ticketPrefix?: string; secure: boolean; now?: number }): string | undefined {
    const covered = prefixesOfPage(path, this.#pages);
    if (!covered) return undefined;
    const narrowed = options.ticketPrefix === undefined ? covered : narrow(covered, options.ticketPrefix);
    const expires = Math.floor((options.now ?? this.#clock.now()) / 1000) + LIFETIME_SECONDS;
    const claims = Buffer.from(JSON.stringify([expires, ...narrowed])).toString('base64url');
    const attributes = `Path=/; Max-Age=${LIFETIME_SECONDS}; HttpOnly; SameSite=Lax${options.secure ? '; Secure' : ''}`;
    return `${cookieName(narrowed[0] ?? '')}=${claims}.${this.#sign(claims)}; ${attributes}`;
  }

  /**
   * Whether a `Cookie` header (RFC 6265 §5.4) carries a valid cookie for the path.
   * @param now tick
   */
  admits(header: string | undefined, path: string, now: number = this.#clock.now()): boolean {
    if (header === undefined || !header.includes('svc_session')) return false;
    return header.split(';').some((pair) => {
      const [name = '', value = ''] = splitOnce(pair.trim(), '=');
      return NAME.test(name) && this.#isValidFor(value, path, now);
    });
  }

  #isValidFor(value: string, path: string, now: number): boolean {
    const [claims = '', signature = ''] = splitOnce(value, '.');
    const expected = Buffer.from(this.#sign(claims));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    const [expires, ...prefixes] = JSON.parse(Buffer.from(claims, 'base64url').toString()) as [number, ...string[]];
    const left = expires - now / 1000;
    // A cookie with more time than its whole life is of another clock: of a directory or a boot before.
    if (left <= 0 || left > LIFETIME_SECONDS + 1) return false;
    return prefixes.some((prefix) => covers(prefix, path));
  }

  #sign(claims: string): string {
    return createHmac('sha256', this.#signingKey).update(claims).digest('base64url');
  }
}

/** The prefixes of a page that are below the prefix of the ticket. */
function narrow(covered: readonly string[], ticketPrefix: string): readonly string[] {
  const kept = covered.filter((prefix) => isUnder(prefix, ticketPrefix));
  return kept.length > 0 ? kept : [ticketPrefix];
}

/** Each page has its own cookie name, so that opening one page does not replace the cookie of another. */
function cookieName(prefix: string): string {
  const suffix = prefix
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^_/, '')
    .replace(/_$/, '');
  return suffix === '' ? 'svc_session' : `svc_session_${suffix}`;
}

function splitOnce(text: string, separator: string): [string, string] | [string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

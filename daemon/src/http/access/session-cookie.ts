import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { PAGES, type Page, prefixesOfPage } from '@sandbox/program/pages.ts';
import type { Credential } from '../../core/access/credential.ts';
import { covers, isUnder } from '../../core/access/path-prefix.ts';
import type { AgeClock } from '../../core/clock/age-clock.ts';

/** Lifetime of the cookie, in seconds. */
const LIFETIME_SECONDS = 12 * 3600;
const NAME = /^svc_session(_[a-z0-9_-]+)?$/;

/** The content of a cookie. */
interface Claims {
  readonly id: string;
  /** Second of the age clock. */
  readonly expires: number;
  readonly prefixes: readonly string[];
  /** Ids of the key and of the ticket that opened the page. */
  readonly by: readonly string[];
  readonly name?: string;
  readonly scopes?: readonly string[];
}

interface IssueOptions {
  readonly ticketPrefix?: string;
  /** What opens the page. */
  readonly by: Credential;
  readonly secure: boolean;
  /** Tick. */
  readonly now?: number;
}

/** A cookie that a request carries. */
export interface ValidCookie extends Credential {
  /** Tick. */
  readonly expiresAt: number;
}

/**
 * The cookie that replaces the key on the pages of the gateway. It is signed with a key derived from the API key, so a
 * new API key invalidates it, or for named keys with a secret, and names the key. It is valid for the prefixes of one page; the landing page's is valid for all paths.
 * Its end is a tick: a wall clock that is set neither shortens nor prolongs it.
 */
export class SessionCookies {
  readonly #signingKey: Buffer;
  readonly #clock: AgeClock;
  readonly #pages: readonly Page[];

  constructor(signingKey: Buffer, clock: AgeClock, pages: readonly Page[] = PAGES) {
    this.#clock = clock;
    this.#pages = pages;
    this.#signingKey = signingKey;
  }

  /**
   * The `Set-Cookie` value for a page that was opened with a credential in its query; undefined if the path is no page.
   * The prefix of a ticket restricts the paths of the cookie.
   */
  issue(path: string, { ticketPrefix, by, secure, now = this.#clock.now() }: IssueOptions): string | undefined {
    const covered = prefixesOfPage(path, this.#pages);
    if (!covered) return undefined;
    const prefixes = ticketPrefix === undefined ? covered : narrow(covered, ticketPrefix);
    const expires = Math.floor(now / 1000) + LIFETIME_SECONDS;
    const content: Claims = {
      id: `c.${randomBytes(12).toString('base64url')}`,
      expires,
      prefixes,
      by: by.ids,
      ...nameAndScopes(by),
    };
    const claims = Buffer.from(JSON.stringify(content)).toString('base64url');
    const attributes = `Path=/; Max-Age=${LIFETIME_SECONDS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
    return `${cookieName(prefixes[0] ?? '')}=${claims}.${this.#sign(claims)}; ${attributes}`;
  }

  /**
   * The valid cookies for the path in a `Cookie` header (RFC 6265 §5.4).
   * @param path undefined: for whichever
   * @param now tick
   */
  *validIn(header: string | undefined, path?: string, now: number = this.#clock.now()): Generator<ValidCookie> {
    if (header === undefined || !header.includes('svc_session')) return;
    for (const pair of header.split(';')) {
      const [name = '', value = ''] = splitOnce(pair.trim(), '=');
      const claims = NAME.test(name) ? this.#claimsOf(value, now) : undefined;
      if (!claims || (path !== undefined && !claims.prefixes.some((prefix) => covers(prefix, path)))) continue;
      yield { ids: [claims.id, ...claims.by], ...nameAndScopes(claims), expiresAt: claims.expires * 1000 };
    }
  }

  #claimsOf(value: string, now: number): Claims | undefined {
    const [text = '', signature = ''] = splitOnce(value, '.');
    const expected = Buffer.from(this.#sign(text));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const claims = JSON.parse(Buffer.from(text, 'base64url').toString()) as Claims;
    const left = claims.expires - now / 1000;
    // A cookie with more time than its whole life is of another clock: of a directory or a boot before.
    return left > 0 && left <= LIFETIME_SECONDS + 1 ? claims : undefined;
  }

  #sign(claims: string): string {
    return createHmac('sha256', this.#signingKey).update(claims).digest('base64url');
  }
}

function nameAndScopes({ name, scopes }: Pick<Credential, 'name' | 'scopes'>): Pick<Credential, 'name' | 'scopes'> {
  return { ...(name !== undefined && { name }), ...(scopes && { scopes }) };
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

import { credentialValues } from '../../core/access/credential-files.ts';
import type { TicketStore } from '../../core/access/tickets.ts';

const REDACTED = '[redacted]';
/** Characters of a text that patterns look at, and how near to that end a match could be cut. */
const LOOKED_AT = 16_384;
const CUT_MARGIN = 4096;
/** Characters of a text that an event has. */
export const TEXT_MAX = 2000;
/** What has the form of a ticket. */
const TICKET = /(?<![\w-])[\w-]{32}(?![\w-])/g;
/** The name of a cookie of the pages begins with it. */
const COOKIE = 'svc_session';

interface RedactorTerms {
  /** Patterns of the operator, with the flag g. */
  readonly patterns: readonly RegExp[];
  readonly tickets: Pick<TicketStore, 'has' | 'size'>;
}

/** Leaves credentials of the service, and what the operator names, out of values of events. */
export class Redactor {
  readonly #terms: RedactorTerms;
  #secrets: readonly string[] = [];
  /** As JSON has them. */
  #escaped: readonly string[] = [];

  constructor(terms: RedactorTerms) {
    this.#terms = terms;
  }

  /** Looks up the credentials that are valid now: once for many events. */
  refresh(): void {
    this.#secrets = credentialValues()
      .flatMap((value) => [value, encodeURIComponent(value), Buffer.from(value).toString('base64')])
      .sort((a, b) => b.length - a.length);
    this.#escaped = this.#secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
  }

  /** Whether lines of JSON may have something to leave out: most have not, and are written as they are. */
  mayMatch(lines: string): boolean {
    const { patterns, tickets } = this.#terms;
    if (patterns.length > 0 || tickets.size > 0 || lines.includes(COOKIE)) return true;
    return this.#escaped.some((secret) => lines.includes(secret));
  }

  /** A value of JSON without them, its texts cut. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => this.value(one));
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.value(one)]));
  }

  #text(whole: string): string {
    let text = whole.length > LOOKED_AT ? whole.slice(0, LOOKED_AT) : whole;
    for (const secret of this.#secrets) text = text.replaceAll(secret, REDACTED);
    if (text.length >= 32) text = text.replace(TICKET, (found) => (this.#terms.tickets.has(found) ? REDACTED : found));
    if (text.includes(COOKIE)) text = withoutCookies(text);
    for (const pattern of this.#terms.patterns) text = text.replace(pattern, REDACTED);
    if (whole.length > LOOKED_AT) text = text.slice(0, -CUT_MARGIN);
    return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
  }
}

function withoutCookies(text: string): string {
  const [before = '', ...cookies] = text.split(COOKIE);
  return before + cookies.map((cookie) => COOKIE + withoutValue(cookie)).join('');
}

function withoutValue(cookie: string): string {
  const start = cookie.indexOf('=') + 1;
  if (!/^[\w-]*=/.test(cookie)) return cookie;
  const length = cookie.slice(start).search(/[;\s"',]/);
  return cookie.slice(0, start) + REDACTED + (length < 0 ? '' : cookie.slice(start + length));
}

import type { IncomingHttpHeaders } from 'node:http';
import { ApiKey } from '../core/api-key.ts';
import { SessionCookies } from '../core/session-cookie.ts';
import type { TicketStore } from '../core/tickets.ts';
import { type Credentials, credentialsOf } from './credentials.ts';
import { HostRule, OriginRule } from './hosts.ts';

/** Served without a key. Compared with the path as it was sent, never by prefix, never looking at the query. */
const PUBLIC_PATHS: ReadonlySet<string> = new Set([
  '/',
  '/health',
  '/v1/ping',
  '/v1/openapi.json',
  '/v2/openapi.json',
  '/internal/auth',
]);

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A request as it is judged: the daemon's own, or the one that the gateway asks about. */
export interface Approach {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly upgrade: boolean;
  readonly headers: IncomingHttpHeaders;
  /** The peer may speak for another one: its X-Forwarded-* headers are believed. */
  readonly fromTrustedProxy: boolean;
}

export type Verdict =
  | { readonly admitted: true; readonly setCookie?: string }
  | {
      readonly admitted: false;
      readonly kind: 'unauthorized' | 'forbidden';
      readonly message: string;
      readonly hint: string;
    };

type Admission = 'header' | 'query' | 'ticket' | 'cookie';

export interface GateOptions {
  readonly apiKey?: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly tickets: TicketStore;
}

/** Decides who gets in, by credential, `Host` and `Origin`; for the daemon and, through `/internal/auth`, for the gateway. */
export class Gate {
  readonly origins: OriginRule;
  readonly #hosts: HostRule;
  readonly #key: ApiKey | undefined;
  readonly #cookies: SessionCookies | undefined;
  readonly #tickets: TicketStore;

  constructor({ apiKey, allowedHosts, allowedOrigins, tickets }: GateOptions) {
    this.#hosts = new HostRule(allowedHosts);
    this.origins = new OriginRule(allowedOrigins);
    this.#key = apiKey === undefined ? undefined : new ApiKey(apiKey);
    this.#cookies = this.#key && new SessionCookies(this.#key);
    this.#tickets = tickets;
  }

  judge(approach: Approach): Verdict {
    return this.#key ? this.#judgeByKey(approach, this.#key) : this.#judgeOpen(approach);
  }

  /**
   * The names of the fields and query parameters that carry the service's own credentials, which nobody behind the
   * gate may see. What only looks like one, such as the token of an application that is previewed, is not among them.
   */
  carriersOf({ headers, target }: Approach): string[] {
    const key = this.#key;
    if (!key) return [];
    const given = credentialsOf(headers, splitTarget(target)[1] ?? '');
    const carriers = given.headerKeys.filter(({ value }) => key.matches(value)).map(({ field }) => field);
    if (given.queryKeys.some((candidate) => key.matches(candidate))) carriers.push('api_key');
    if (given.tickets.length > 0) carriers.push('ticket');
    return carriers;
  }

  #judgeOpen(approach: Approach): Verdict {
    const stranger = hostsOf(approach).find((host) => !this.#hosts.allows(host));
    if (stranger !== undefined) {
      return forbidden(
        `the host ${JSON.stringify(stranger)} is not served`,
        'add it to SVC_ALLOWED_HOSTS, or protect the service with SVC_API_KEY',
      );
    }
    const foreign = this.#foreignOrigin(approach);
    return foreign ? refusedOrigin(foreign) : { admitted: true };
  }

  #judgeByKey(approach: Approach, key: ApiKey): Verdict {
    const [path = '', query = ''] = splitTarget(approach.target);
    const isPublic = PUBLIC_PATHS.has(path);
    if (isPublic && path !== '/') return { admitted: true };
    const { by, ticketPrefix } = this.#admission(credentialsOf(approach.headers, query), path, key);
    if (by === undefined) {
      return isPublic ? { admitted: true } : unauthorized();
    }
    if (by === 'cookie' && !isPublic) {
      const foreign = this.#foreignOrigin(approach);
      if (foreign) return refusedOrigin(foreign);
    }
    const setCookie = by === 'query' || by === 'ticket' ? this.#cookieFor(approach, path, ticketPrefix) : undefined;
    return setCookie === undefined ? { admitted: true } : { admitted: true, setCookie };
  }

  #admission(given: Credentials, path: string, key: ApiKey): { by?: Admission; ticketPrefix?: string } {
    if (given.headerKeys.some(({ value }) => key.matches(value))) return { by: 'header' };
    if (given.queryKeys.some((candidate) => key.matches(candidate))) return { by: 'query' };
    if (this.#cookies?.admits(given.cookie, path)) return { by: 'cookie' };
    for (const ticket of given.tickets) {
      const ticketPrefix = this.#tickets.spend(ticket, path);
      if (ticketPrefix !== undefined) return { by: 'ticket', ticketPrefix };
    }
    return {};
  }

  #cookieFor(approach: Approach, path: string, ticketPrefix: string | undefined): string | undefined {
    const opensPage = approach.method === 'GET' && !approach.upgrade && approach.headers.accept?.includes('text/html');
    if (!opensPage) return undefined;
    const secure = approach.fromTrustedProxy && approach.headers['x-forwarded-proto'] === 'https';
    return this.#cookies?.issue(path, { secure, ...(ticketPrefix !== undefined && { ticketPrefix }) });
  }

  /** The `Origin` of a page that may not do what the request asks for. */
  #foreignOrigin(approach: Approach): string | undefined {
    const { origin } = approach.headers;
    if (origin === undefined) return undefined;
    const [path = ''] = splitTarget(approach.target);
    const guarded = approach.upgrade || !SAFE_METHODS.has(approach.method) || /^\/(v1\/)?(mcp|cdp)(\/|$)/.test(path);
    return guarded && !this.origins.allows(origin, hostsOf(approach)) ? origin : undefined;
  }
}

function splitTarget(target: string): [path: string, query: string] {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}

/** Both names count: a page that was rebound to us can add `X-Forwarded-Host`, but cannot change `Host`. */
function hostsOf({ headers, fromTrustedProxy }: Approach): string[] {
  const forwarded = fromTrustedProxy ? headers['x-forwarded-host'] : undefined;
  const names = typeof forwarded === 'string' ? forwarded.split(',').map((name) => name.trim()) : [];
  return [headers.host ?? '', ...names];
}

function unauthorized(): Verdict {
  return {
    admitted: false,
    kind: 'unauthorized',
    message: 'missing or wrong API key',
    hint: 'send it as "Authorization: Bearer <key>" or "x-api-key: <key>"',
  };
}

function refusedOrigin(origin: string): Verdict {
  return forbidden(
    `a page of ${JSON.stringify(origin)} may not do this`,
    'add its origin to SVC_ALLOWED_ORIGINS if it is yours',
  );
}

function forbidden(message: string, hint: string): Verdict {
  return { admitted: false, kind: 'forbidden', message, hint };
}

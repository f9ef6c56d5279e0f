import type { IncomingHttpHeaders } from 'node:http';
import type { Page } from '@sandbox/program/pages.ts';
import type { TicketStore } from '../../core/access/tickets.ts';
import { ApiKey } from './api-key.ts';
import { type Credentials, credentialsOf } from './credentials.ts';
import { HostRule, OriginRule } from './hosts.ts';
import { SessionCookies } from './session-cookie.ts';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A request as it is judged: the daemon's own, or the one that the gateway asks about. */
export interface AccessRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly upgrade: boolean;
  readonly headers: IncomingHttpHeaders;
  /** The peer may speak for another one: its X-Forwarded-* headers are believed. */
  readonly fromTrustedProxy: boolean;
}

export type AccessDecision =
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
  /** Served without a key. Compared with the path as it was sent, never by prefix, never looking at the query. */
  readonly publicPaths: readonly string[];
  /** Pages that a link with a credential opens. */
  readonly pages: readonly Page[];
}

/** Decides who gets in, by credential, `Host` and `Origin`; for the daemon and, through `/internal/auth`, for the gateway. */
export class Gate {
  readonly origins: OriginRule;
  readonly #hosts: HostRule;
  readonly #key: ApiKey | undefined;
  readonly #cookies: SessionCookies | undefined;
  readonly #tickets: TicketStore;
  readonly #publicPaths: ReadonlySet<string>;

  constructor({ apiKey, allowedHosts, allowedOrigins, tickets, publicPaths, pages }: GateOptions) {
    this.#publicPaths = new Set(publicPaths);
    this.#hosts = new HostRule(allowedHosts);
    this.origins = new OriginRule(allowedOrigins);
    this.#key = apiKey === undefined ? undefined : new ApiKey(apiKey);
    this.#cookies = this.#key && new SessionCookies(this.#key, pages);
    this.#tickets = tickets;
  }

  judge(request: AccessRequest): AccessDecision {
    return this.#key ? this.#judgeByKey(request, this.#key) : this.#judgeOpen(request);
  }

  /**
   * The names of the fields and query parameters that carry the service's own credentials, which nobody behind the
   * gate may see. What only looks like one, such as the token of an application that is previewed, is not among them.
   */
  credentialFields({ headers, target }: AccessRequest): string[] {
    const key = this.#key;
    if (!key) return [];
    const given = credentialsOf(headers, splitTarget(target)[1] ?? '');
    const carriers = given.headerKeys.filter(({ value }) => key.matches(value)).map(({ field }) => field);
    if (given.queryKeys.some((candidate) => key.matches(candidate))) carriers.push('api_key');
    if (given.tickets.length > 0) carriers.push('ticket');
    return carriers;
  }

  #judgeOpen(request: AccessRequest): AccessDecision {
    const stranger = hostsOf(request).find((host) => !this.#hosts.allows(host));
    if (stranger !== undefined) {
      return forbidden(
        `the host ${JSON.stringify(stranger)} is not served`,
        'add it to SVC_ALLOWED_HOSTS, or protect the service with SVC_API_KEY',
      );
    }
    const foreign = this.#foreignOrigin(request);
    return foreign ? refusedOrigin(foreign) : { admitted: true };
  }

  #judgeByKey(request: AccessRequest, key: ApiKey): AccessDecision {
    const [path = '', query = ''] = splitTarget(request.target);
    const isPublic = this.#publicPaths.has(path);
    if (isPublic && path !== '/') return { admitted: true };
    const { by, ticketPrefix } = this.#admission(credentialsOf(request.headers, query), path, key);
    if (by === undefined) {
      return isPublic ? { admitted: true } : unauthorized();
    }
    if (by === 'cookie' && !isPublic) {
      const foreign = this.#foreignOrigin(request);
      if (foreign) return refusedOrigin(foreign);
    }
    const setCookie = by === 'query' || by === 'ticket' ? this.#cookieFor(request, path, ticketPrefix) : undefined;
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

  #cookieFor(request: AccessRequest, path: string, ticketPrefix: string | undefined): string | undefined {
    const opensPage = request.method === 'GET' && !request.upgrade && request.headers.accept?.includes('text/html');
    if (!opensPage) return undefined;
    const secure = request.fromTrustedProxy && request.headers['x-forwarded-proto'] === 'https';
    return this.#cookies?.issue(path, { secure, ...(ticketPrefix !== undefined && { ticketPrefix }) });
  }

  /** The `Origin` of a page that may not do what the request asks for. */
  #foreignOrigin(request: AccessRequest): string | undefined {
    const { origin } = request.headers;
    if (origin === undefined) return undefined;
    const [path = ''] = splitTarget(request.target);
    const guarded = request.upgrade || !SAFE_METHODS.has(request.method) || /^\/(v1\/)?(mcp|cdp)(\/|$)/.test(path);
    return guarded && !this.origins.allows(origin, hostsOf(request)) ? origin : undefined;
  }
}

function splitTarget(target: string): [path: string, query: string] {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}

/** Both names count: a page that was rebound to us can add `X-Forwarded-Host`, but cannot change `Host`. */
function hostsOf({ headers, fromTrustedProxy }: AccessRequest): string[] {
  const forwarded = fromTrustedProxy ? headers['x-forwarded-host'] : undefined;
  const names = typeof forwarded === 'string' ? forwarded.split(',').map((name) => name.trim()) : [];
  return [headers.host ?? '', ...names];
}

function unauthorized(): AccessDecision {
  return {
    admitted: false,
    kind: 'unauthorized',
    message: 'missing or wrong API key',
    hint: 'send it as "Authorization: Bearer <key>" or "x-api-key: <key>"',
  };
}

function refusedOrigin(origin: string): AccessDecision {
  return forbidden(
    `a page of ${JSON.stringify(origin)} may not do this`,
    'add its origin to SVC_ALLOWED_ORIGINS if it is yours',
  );
}

function forbidden(message: string, hint: string): AccessDecision {
  return { admitted: false, kind: 'forbidden', message, hint };
}

import type { IncomingHttpHeaders } from 'node:http';
import { HostRule, OriginRule } from '@sandbox/api/http/hosts.ts';
import { GATEWAY_PATHS, type Page, portOfOpenPreview, portOfPreview, prefixesOfPage } from '@sandbox/program/pages.ts';
import { type AccessKey, sha256Of } from '../../core/access/access-keys.ts';
import { type Credential, OPEN } from '../../core/access/credential.ts';
import type { AccessTerms } from '../../core/access/late-binding.ts';
import type { Revocations } from '../../core/access/revocations.ts';
import { missingScope, type Need } from '../../core/access/scopes.ts';
import type { TicketStore } from '../../core/access/tickets.ts';
import type { AgeClock } from '../../core/clock/age-clock.ts';
import { ApiKey } from './api-key.ts';
import { fieldsWithCredential } from './credential-fields.ts';
import { type Credentials, credentialsOf } from './credentials.ts';
import { SessionCookies, type ValidCookie } from './session-cookie.ts';

const PREVIEW_TICKET_SECONDS = 30;
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A request for an access decision: the daemon's own, or the one that the gateway asks about. */
export interface AccessRequest {
  readonly method: string;
  /** Path and query, as received. */
  readonly target: string;
  readonly upgrade: boolean;
  readonly headers: IncomingHttpHeaders;
  /** Whether the X-Forwarded-* headers of the peer are trusted. */
  readonly fromTrustedProxy: boolean;
  /** Whether neither a ticket nor a cookie is sufficient. */
  readonly needsKey?: boolean;
  /** What the credential must be good for; default: everything. */
  readonly need?: Need | undefined;
}

export type AccessDecision =
  | {
      readonly admitted: true;
      /** Undefined if no credential was needed. */
      readonly by?: CredentialKind;
      /** What opens the request; undefined for a public path. */
      readonly credential?: Credential;
      readonly setCookie?: string;
      /** The ticket of which the request has spent a use. */
      readonly ticket?: string;
      /** A new ticket for the preview that the request opens on a host of its own. */
      readonly previewTicket?: string;
    }
  | {
      readonly admitted: false;
      readonly kind: 'unauthorized' | 'forbidden';
      readonly message: string;
      readonly hint: string;
      /** Scopes of which one would do. */
      readonly sufficient?: string;
    };

/** Where a request carries its valid credential: the key in a header or the query, a ticket, or a cookie. */
export type CredentialKind = 'header' | 'query' | 'ticket' | 'cookie';

interface ValidCredential {
  readonly by: CredentialKind;
  readonly credential: Credential;
  readonly ticket?: string;
  /** Undefined for a ticket with a target. */
  readonly ticketPrefix?: string | undefined;
}

export interface GateOptions {
  readonly apiKey?: string | undefined;
  readonly named?: AccessTerms['named'];
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly tickets: TicketStore;
  readonly revocations: Revocations;
  /** Of the session cookies. */
  readonly clock: AgeClock;
  /** Paths that need no key. They must equal the path as received; the query is ignored. */
  readonly publicPaths: readonly string[];
  /** Ports whose previews need no credential. */
  readonly publicPorts: readonly number[];
  /** Pages that a link with a credential opens. */
  readonly pages: readonly Page[];
}

/** Decides about access by credential, `Host` and `Origin`, also for the gateway's requests to `/internal/auth`. */
export class Gate {
  readonly origins: OriginRule;
  /** Which pages may embed those of the gateway: its own and those of listed origins (CSP Level 3 §6.4.2). */
  readonly frameRule: string;
  readonly #hosts: HostRule;
  readonly #key: ApiKey | undefined;
  readonly #named: ReadonlyMap<string, AccessKey> | undefined;
  readonly #cookies: SessionCookies | undefined;
  readonly #tickets: TicketStore;
  readonly #revocations: Revocations;
  /** Ids of the keys that are valid. */
  readonly keyIds: readonly string[];
  readonly #publicPaths: ReadonlySet<string>;
  readonly #publicPorts: ReadonlySet<number>;
  readonly #pages: readonly Page[];

  constructor(options: GateOptions) {
    const { apiKey, named, allowedHosts, allowedOrigins, tickets, revocations, clock, publicPaths, pages } = options;
    this.#publicPaths = new Set(publicPaths);
    this.#publicPorts = new Set(options.publicPorts);
    this.#pages = pages;
    this.#hosts = new HostRule(allowedHosts);
    this.origins = new OriginRule(allowedOrigins);
    this.frameRule = ["frame-ancestors 'self'", ...this.origins.listed].join(' ');
    this.#key = apiKey === undefined ? undefined : new ApiKey(apiKey);
    this.#named = named && new Map(named.keys.map((key) => [key.sha256, key]));
    const signingKey = named?.cookieSecret ?? this.#key?.derive('session cookie with id');
    this.#cookies = signingKey && new SessionCookies(signingKey, clock, pages);
    const own = this.#key ? [this.#key.id] : [];
    this.keyIds = this.#key || named ? [...own, ...(named?.keys.map(({ id }) => id) ?? [])] : OPEN.ids;
    this.#tickets = tickets;
    this.#revocations = revocations;
  }

  judge(request: AccessRequest): AccessDecision {
    return this.#key || this.#named ? this.#judgeByKey(request) : this.#judgeOpen(request);
  }

  /**
   * Headers and query parameters of an admitted request that carry a credential of the service, which the gateway
   * removes. A token or a ticket of a previewed application is not one.
   * @param rawHeaders alternating names and values as received
   * @param spent the ticket of the decision
   */
  credentialFields(target: string, rawHeaders: readonly string[], spent?: string): string[] {
    const key = this.#key;
    if (!key && !this.#named) return [];
    const [, query] = splitTarget(target);
    return fieldsWithCredential({ rawHeaders, query }, (texts) => {
      const all = [...texts];
      if (key?.isAmong(all)) return true;
      return all.some((text) => text === spent || this.#tickets.has(text) || this.#keyNamed(text) !== undefined);
    });
  }

  #judgeOpen(request: AccessRequest): AccessDecision {
    const refusedHost = hostsOf(request).find((host) => !this.#hosts.allows(host));
    if (refusedHost !== undefined) {
      return forbidden(
        `the host ${JSON.stringify(refusedHost)} is not allowed`,
        'add it to SVC_ALLOWED_HOSTS, or protect the service with SVC_API_KEY',
      );
    }
    const foreign = this.#foreignOrigin(request);
    if (foreign) return refusedOrigin(foreign);
    return this.#mayCome(request) ? { admitted: true, credential: OPEN } : refusedSite();
  }

  /** Whether a page of another site may cause the request (Fetch Metadata §2.4), which may carry no `Origin`. */
  #mayCome({ method, target, headers }: AccessRequest): boolean {
    const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, origin } = headers;
    if (site !== 'cross-site' && site !== 'same-site') return true;
    const [path] = splitTarget(target);
    if (this.#publicPaths.has(path) || (origin !== undefined && this.origins.isListed(origin))) return true;
    const isTopLevel = method === 'GET' && mode === 'navigate' && dest === 'document';
    return isTopLevel && prefixesOfPage(path, this.#pages) !== undefined;
  }

  #judgeByKey(request: AccessRequest): AccessDecision {
    const [path = '', query = ''] = splitTarget(request.target);
    const isPublic = this.#publicPaths.has(path);
    if ((isPublic && path !== '/') || this.#publicPorts.has(portOfPreview(path) ?? 0)) return { admitted: true };
    const valid = this.#findValid(credentialsOf(request.headers, query), request);
    if (valid === undefined) {
      return isPublic ? { admitted: true } : unauthorized();
    }
    if (valid.by === 'cookie' && !isPublic) {
      const foreign = this.#foreignOrigin(request);
      if (foreign) return refusedOrigin(foreign);
    }
    const missing = missingScope(valid.credential, request.need);
    return missing ? { admitted: false, kind: 'forbidden', ...missing } : this.#admission(request, path, valid);
  }

  #admission(request: AccessRequest, path: string, valid: ValidCredential): AccessDecision {
    const { by, credential, ticket, ticketPrefix } = valid;
    // The cookie would be good for other queries than the one that the ticket names.
    const opensPage = by === 'query' || (by === 'ticket' && ticketPrefix !== undefined);
    const setCookie = opensPage ? this.#cookieFor(request, path, valid) : undefined;
    const previewTicket = by === 'ticket' ? undefined : this.#previewTicket(request, path, credential);
    return {
      admitted: true,
      by,
      credential,
      ...(setCookie !== undefined && { setCookie }),
      ...(ticket !== undefined && { ticket }),
      ...(previewTicket !== undefined && { previewTicket }),
    };
  }

  /** A host of its own has no cookie of this one, so that the daemon gives its link a ticket for that preview. */
  #previewTicket({ method }: AccessRequest, path: string, maker: Credential): string | undefined {
    const port = method === 'GET' ? portOfOpenPreview(path) : undefined;
    if (port === undefined) return undefined;
    const pathPrefix = `${GATEWAY_PATHS.preview}/${port}`;
    return this.#tickets.issue({ pathPrefix, ttl: PREVIEW_TICKET_SECONDS, uses: 1 }, maker).ticket;
  }

  /** The first valid credential; a ticket is tried last, because this spends one of its uses. */
  #findValid(given: Credentials, { target, needsKey = false }: AccessRequest): ValidCredential | undefined {
    const byHeader = this.#firstKey(given.headerKeys.map(({ value }) => value));
    if (byHeader) return { by: 'header', credential: byHeader };
    const byQuery = this.#firstKey(given.queryKeys);
    if (byQuery) return { by: 'query', credential: byQuery };
    if (needsKey) return undefined;
    const [cookie] = this.#cookiesOf(given.cookie, splitTarget(target)[0]);
    if (cookie) return { by: 'cookie', credential: cookie };
    for (const ticket of given.tickets) {
      const spent = this.#tickets.spend(ticket, target);
      if (spent) return { by: 'ticket', ticket, ticketPrefix: spent.pathPrefix, credential: spent.credential };
    }
    return undefined;
  }

  #firstKey(candidates: readonly string[]): Credential | undefined {
    for (const candidate of candidates) {
      if (this.#key?.matches(candidate)) return { ids: [this.#key.id] };
      const named = this.#keyNamed(candidate);
      if (named) return named.credential;
    }
    return undefined;
  }

  /** Digests are looked up, so that the time reveals nothing of a key. */
  #keyNamed(candidate: string): AccessKey | undefined {
    return this.#named && this.#named.size > 0 ? this.#named.get(sha256Of(candidate)) : undefined;
  }

  /**
   * The cookies of a request that are valid, for the path or for whichever.
   * @param header as received
   */
  #cookiesOf(header: string | undefined, path?: string): ValidCookie[] {
    const found = [...(this.#cookies?.validIn(header, path) ?? [])];
    return found.filter(({ ids }) => ids.some((id) => this.keyIds.includes(id)) && !this.#revocations.hasAny(ids));
  }

  /** Withdraws the cookies of a request. @returns how many */
  signOut(header: string | undefined): number {
    const cookies = this.#cookiesOf(header);
    for (const { ids, expiresAt } of cookies) this.#revocations.add(ids[0] ?? '', expiresAt);
    return cookies.length;
  }

  #cookieFor(request: AccessRequest, path: string, { ticketPrefix, credential }: ValidCredential): string | undefined {
    const opensPage = request.method === 'GET' && !request.upgrade && request.headers.accept?.includes('text/html');
    if (!opensPage) return undefined;
    const secure = request.fromTrustedProxy && request.headers['x-forwarded-proto'] === 'https';
    return this.#cookies?.issue(path, { secure, by: credential, ...(ticketPrefix !== undefined && { ticketPrefix }) });
  }

  /** The `Origin` of the request if another origin must not send such a request. */
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

/** Both hosts are checked: after DNS rebinding a page can add `X-Forwarded-Host`, but cannot change `Host`. */
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
    `the origin ${JSON.stringify(origin)} is not allowed`,
    'add it to SVC_ALLOWED_ORIGINS if you trust it',
  );
}

function refusedSite(): AccessDecision {
  return forbidden(
    'a page of another site may not cause this request',
    'open it directly, add the origin of the page to SVC_ALLOWED_ORIGINS, or protect the service with SVC_API_KEY',
  );
}

function forbidden(message: string, hint: string): AccessDecision {
  return { admitted: false, kind: 'forbidden', message, hint };
}

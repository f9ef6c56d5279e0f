import type { IncomingMessage } from 'node:http';
import { forwardedPrefix } from '@sandbox/program/trusted-proxies.ts';
import type { Admission } from './admission.ts';
import type { Exchange } from './exchange.ts';
import { type FlatHeaders, requestHeaders } from './headers.ts';
import type { Peer } from './peer.ts';

/** Names of the daemon's session cookies. */
const SESSION_COOKIE = /^\s*svc_session(?:_[a-z0-9_-]+)?\s*=/i;
/** Headers that select the port of a preview; the second is the name of 1.x. */
export const PORT_HEADERS = ['x-svc-proxy-port', 'x-aio-proxy-port'] as const;
/** Headers for the gateway itself; an application with a prefix receives its own X-Forwarded-Prefix. */
const GATEWAY_HEADERS: ReadonlySet<string> = new Set([...PORT_HEADERS, 'x-forwarded-prefix']);

/**
 * The request headers for an application: without credentials of the service.
 * @param host replaces `Host`, and the host of a same-origin `Origin`; undefined keeps both
 */
export function appHeaders(exchange: Exchange, { credentials }: Admission, host: string | undefined): FlatHeaders {
  const all = requestHeaders(exchange, host ?? 'localhost');
  const headers: FlatHeaders = [];
  for (let i = 0; i < all.length; i += 2) {
    const name = all[i] ?? '';
    const value = appHeader(exchange, name.toLowerCase(), all[i + 1] ?? '', host);
    if (value !== undefined && !credentials.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}

function appHeader(exchange: Exchange, name: string, value: string, host: string | undefined): string | undefined {
  if (GATEWAY_HEADERS.has(name)) return undefined;
  if (name === 'cookie') return withoutSession(value);
  if (host === undefined) return value;
  if (name === 'host') return host;
  return name === 'origin' && isSameOrigin(exchange, value) ? `http://${host}` : value;
}

function withoutSession(cookies: string): string | undefined {
  const kept = cookies.split(';').filter((pair) => !SESSION_COOKIE.test(pair));
  return kept.length > 0 ? kept.join(';').trim() : undefined;
}

/** Whether the origin's host is the host of the request. */
function isSameOrigin(exchange: Exchange, origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  const host = `${url.protocol}//${publicHost(exchange)}`;
  return URL.canParse(host) && new URL(host).host === url.host;
}

/** The host that the client used: X-Forwarded-Host of a trusted proxy, otherwise `Host`. */
export function publicHost({ req, peer }: Exchange): string {
  const forwarded = forwardedValue(req, peer, 'x-forwarded-host');
  return forwarded || (req.headers.host ?? '');
}

/** The scheme that the client used: X-Forwarded-Proto of a trusted proxy, otherwise http. */
export function publicScheme({ req, peer }: Exchange): 'http' | 'https' {
  const forwarded = forwardedValue(req, peer, 'x-forwarded-proto');
  return forwarded.toLowerCase() === 'https' ? 'https' : 'http';
}

/** The path prefix that a trusted proxy stripped (X-Forwarded-Prefix), without a trailing slash. */
export function publicPrefix({ req, peer }: Exchange): string {
  return peer.trusted ? forwardedPrefix(req.headers['x-forwarded-prefix']) : '';
}

type ForwardedName = 'x-forwarded-host' | 'x-forwarded-proto';

/** The first value of an X-Forwarded-* header of a trusted proxy; empty if it is absent. */
function forwardedValue(req: IncomingMessage, peer: Peer, name: ForwardedName): string {
  if (!peer.trusted) return '';
  return (String(req.headers[name] ?? '').split(',', 1)[0] ?? '').trim();
}

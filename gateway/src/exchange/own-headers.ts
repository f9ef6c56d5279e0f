import type { Admission } from '../auth.ts';
import type { Exchange } from './exchange.ts';
import { type FlatHeaders, forwardedHeaders } from './headers.ts';

/** The daemon's session cookies, and nobody else's. */
const SESSION_COOKIE = /^\s*svc_session(?:_[a-z0-9_-]+)?\s*=/i;
/** The two names by which a request picks the port of a preview; the second is that of 1.x. */
export const PORT_FIELDS = ['x-svc-proxy-port', 'x-aio-proxy-port'] as const;
/** Each upstream is told its own prefix, where it has one. */
const ABOUT_THE_GATEWAY: ReadonlySet<string> = new Set([...PORT_FIELDS, 'x-forwarded-prefix']);

/**
 * The fields of a request as an upstream of the gateway's own gets them: without any credential of the service.
 * @param host the `Host` it is to see. With one of its own a page's `Origin` follows where it is that of the request.
 */
export function ownHeaders(exchange: Exchange, { credentials }: Admission, host: string | undefined): FlatHeaders {
  const all = forwardedHeaders(exchange, host ?? 'localhost');
  const headers: FlatHeaders = [];
  for (let i = 0; i < all.length; i += 2) {
    const name = all[i] ?? '';
    const value = fieldFor(exchange, name.toLowerCase(), all[i + 1] ?? '', host);
    if (value !== undefined && !credentials.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}

function fieldFor(exchange: Exchange, name: string, value: string, host: string | undefined): string | undefined {
  if (ABOUT_THE_GATEWAY.has(name)) return undefined;
  if (name === 'cookie') return withoutSession(value);
  if (host === undefined) return value;
  if (name === 'host') return host;
  return name === 'origin' && isOwnOrigin(exchange, value) ? `http://${host}` : value;
}

function withoutSession(cookies: string): string | undefined {
  const kept = cookies.split(';').filter((pair) => !SESSION_COOKIE.test(pair));
  return kept.length > 0 ? kept.join(';').trim() : undefined;
}

/** The page that asks is of the host that is asked. */
function isOwnOrigin(exchange: Exchange, origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  const host = `${url.protocol}//${publicHost(exchange)}`;
  return URL.canParse(host) && new URL(host).host === url.host;
}

/** The host as the client knows it: what a trusted proxy says, else `Host`. */
export function publicHost({ req, peer }: Exchange): string {
  const told = peer.trusted
    ? String(req.headers['x-forwarded-host'] ?? '')
        .split(',', 1)[0]
        ?.trim()
    : '';
  return told || (req.headers.host ?? '');
}

/** The scheme that the client speaks. */
export function publicScheme({ req, peer }: Exchange): 'http' | 'https' {
  const told = peer.trusted
    ? String(req.headers['x-forwarded-proto'] ?? '')
        .split(',', 1)[0]
        ?.trim()
    : '';
  return told?.toLowerCase() === 'https' ? 'https' : 'http';
}

/** What a trusted proxy took from the beginning of the path, without a slash at its end. */
export function publicPrefix({ req, peer }: Exchange): string {
  const told = peer.trusted
    ? String(req.headers['x-forwarded-prefix'] ?? '')
        .split(',', 1)[0]
        ?.trim()
    : '';
  return told && /^\/[\w.~/-]*$/.test(told) ? told.replace(/\/+$/, '') : '';
}

/** A query without the parameters that carry a credential of the service, with its question mark; every other byte stays. */
export function queryWithout(query: string | undefined, { credentials }: Admission): string {
  if (query === undefined) return '';
  const kept = query.split('&').filter((parameter) => !credentials.has(parameterName(parameter)));
  return kept.length > 0 ? `?${kept.join('&')}` : '';
}

/** The parameters of a query that carry a credential of the service and no others, with its question mark. */
export function queryWith(query: string | undefined, { credentials }: Admission): string {
  const kept = query?.split('&').filter((parameter) => credentials.has(parameterName(parameter))) ?? [];
  return kept.length > 0 ? `?${kept.join('&')}` : '';
}

function parameterName(parameter: string): string {
  const name = parameter.split('=', 1)[0] ?? '';
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

import { ADMITTED } from '@sandbox/program/pages.ts';
import type { Exchange } from './exchange.ts';

/** Alternating names and values as on the wire: order, case and duplicates are kept. */
export type FlatHeaders = string[];

/** Hop-by-hop headers (RFC 9110 §7.6.1), and those of proxy authentication (§11.7). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that `Connection` cannot declare hop-by-hop: framing, routing and the gateway's own. */
const NEVER_HOP_BY_HOP = new Set(['content-length', 'host', 'x-request-id']);

/** Headers that the gateway always replaces. */
const OVERWRITTEN = new Set(['expect', 'x-request-id', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host']);

/** Headers about the original client: forwarded from a trusted peer, dropped from any other. */
function isForwardedHeader(name: string): boolean {
  return name.startsWith('x-forwarded-') || name === 'forwarded' || name === 'x-real-ip';
}

/** What the headers for the daemon depend on. */
type Asked = Pick<Exchange, 'peer' | 'requestId' | 'traceparent'> & {
  readonly req: Pick<Exchange['req'], 'rawHeaders' | 'headers'>;
};

/** Headers that this client may not set, and the span of the caller if the gateway has one of its own. */
function isReplaced(name: string, { peer, traceparent }: Asked): boolean {
  if (name.startsWith('x-original-') || (!peer.trusted && isForwardedHeader(name))) return true;
  return name === 'traceparent' && traceparent !== undefined;
}

/** The request headers for the daemon. The sender adds Transfer-Encoding, Expect and Upgrade if it needs them. */
export function requestHeaders(exchange: Asked, fallbackHost: string): FlatHeaders {
  const { req, requestId, traceparent } = exchange;
  const raw = req.rawHeaders;
  const named = namedByConnection(req.headers.connection);
  const headers: FlatHeaders = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? '';
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || OVERWRITTEN.has(lower) || named?.has(lower)) continue;
    if (isReplaced(lower, exchange)) continue;
    headers.push(name, raw[i + 1] ?? '');
  }
  if (traceparent !== undefined) headers.push('traceparent', traceparent);
  const host = req.headers.host;
  if (host === undefined) headers.push('Host', fallbackHost);
  headers.push('X-Request-ID', requestId, ...xForwardedHeaders(exchange, host ?? fallbackHost));
  return headers;
}

/** X-Forwarded-For, -Proto and -Host: extended if the peer is a trusted proxy, otherwise new. */
function xForwardedHeaders({ req, peer }: Asked, host: string): FlatHeaders {
  const given = peer.trusted ? req.headers : {};
  const before = given['x-forwarded-for'];
  const chain = before ? `${String(before)}, ${peer.address}` : peer.address;
  return [
    'X-Forwarded-For',
    chain,
    'X-Forwarded-Proto',
    String(given['x-forwarded-proto'] || 'http'),
    'X-Forwarded-Host',
    String(given['x-forwarded-host'] || host),
  ];
}

/** The response headers of the daemon for the client; the daemon's word that the request was admitted stays here. */
export function daemonResponseHeaders(
  raw: readonly string[],
  { requestId, admitted }: Pick<Exchange, 'requestId' | 'admitted'>,
): FlatHeaders {
  const headers = responseHeaders(raw, requestId);
  const at = headers.findIndex(
    (name, i) => i % 2 === 0 && name.length === ADMITTED.length && name.toLowerCase() === ADMITTED,
  );
  if (at < 0) return headers;
  admitted?.();
  headers.splice(at, 2);
  return headers;
}

/** The response headers for the client: without hop-by-hop headers, with the gateway's request id. */
export function responseHeaders(
  raw: readonly string[],
  requestId: string,
  cookies: readonly string[] = [],
): FlatHeaders {
  const connection: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]?.length === 10 && raw[i]?.toLowerCase() === 'connection') connection.push(raw[i + 1] ?? '');
  }
  const named = namedByConnection(connection.join(','));
  const headers: FlatHeaders = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? '';
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || lower === 'x-request-id' || named?.has(lower)) continue;
    headers.push(name, raw[i + 1] ?? '');
  }
  headers.push('x-request-id', requestId);
  for (const cookie of cookies) headers.push('Set-Cookie', cookie);
  return headers;
}

/** Headers about the content, removed from requests that the gateway derives from a client's request. */
export const CONTENT_HEADERS: ReadonlySet<string> = new Set([
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
]);

/** @param dropped names in lower case */
export function withoutFields(headers: FlatHeaders, dropped: ReadonlySet<string>): FlatHeaders {
  return headers.filter((_, i) => !dropped.has(headers[i - (i % 2)]?.toLowerCase() ?? ''));
}

/** Methods that need no Content-Length for a request without a body (RFC 9110 §8.6). */
const BODILESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** Whether a request without a body needs `Content-Length: 0`; node:http would send an empty chunked body otherwise. */
export function needsLength(method: string): boolean {
  return !BODILESS.has(method);
}

function namedByConnection(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === '' || connection === 'keep-alive' || connection === 'close') {
    return undefined;
  }
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set(names.filter((name) => !NEVER_HOP_BY_HOP.has(name)));
}

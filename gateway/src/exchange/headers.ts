import type { Exchange } from './exchange.ts';

/** Names and values in turn, as they stand on the wire: order, case and repetitions are kept. */
export type FlatHeaders = string[];

/** Fields that end at each hop (RFC 9110 §7.6.1), and the two of a proxy's own authentication (§11.7). */
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

/** What `Connection` cannot name away: framing, routing and what the gateway says itself. */
const NEVER_NAMED = new Set(['content-length', 'host', 'x-request-id']);

/** Set by the gateway, whatever the client said. */
const OVERWRITTEN = new Set(['expect', 'x-request-id', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host']);

/** Told to the daemon as they are by a trusted peer, not at all by another. */
function isForwardedHeader(name: string): boolean {
  return name.startsWith('x-forwarded-') || name === 'forwarded' || name === 'x-real-ip';
}

/** The fields of a request as the daemon gets them; those of the body's framing besides `Content-Length` are the sender's to add. */
export function forwardedHeaders(exchange: Exchange, fallbackHost: string): FlatHeaders {
  const { req, peer, requestId } = exchange;
  const raw = req.rawHeaders;
  const named = namedByConnection(req.headers.connection);
  const headers: FlatHeaders = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? '';
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || OVERWRITTEN.has(lower) || named?.has(lower)) continue;
    if (lower.startsWith('x-original-') || (!peer.trusted && isForwardedHeader(lower))) continue;
    headers.push(name, raw[i + 1] ?? '');
  }
  const host = req.headers.host;
  if (host === undefined) headers.push('Host', fallbackHost);
  headers.push('X-Request-ID', requestId, ...hearsayOf(exchange, host ?? fallbackHost));
  return headers;
}

/** X-Forwarded-For, -Proto and -Host: continued where the peer is a trusted proxy, else begun anew. */
function hearsayOf({ req, peer }: Exchange, host: string): FlatHeaders {
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

/** The fields of an answer as the client gets them: what ends at this hop is gone, the request id is the gateway's. */
export function answeredHeaders(
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

/** Fields of a body; a question that is asked for the request has none, or one of its own. */
export const OF_THE_BODY: ReadonlySet<string> = new Set([
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
]);

/** @param dropped names in lower case. */
export function withoutFields(headers: FlatHeaders, dropped: ReadonlySet<string>): FlatHeaders {
  return headers.filter((_, i) => !dropped.has(headers[i - (i % 2)]?.toLowerCase() ?? ''));
}

/** Methods of which a request without a body needs no length (RFC 9110 §8.6). */
const BODILESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** Whether a request without a body says so by its length; where it does not, node:http sends an empty chunked one. */
export function needsLength(method: string): boolean {
  return !BODILESS.has(method);
}

function namedByConnection(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === '' || connection === 'keep-alive' || connection === 'close') {
    return undefined;
  }
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set(names.filter((name) => !NEVER_NAMED.has(name)));
}

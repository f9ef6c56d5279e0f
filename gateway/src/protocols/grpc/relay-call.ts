import { type Agent, type IncomingMessage, request } from 'node:http';
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { ignore } from '@sandbox/program/ignore.ts';
import { requestIdOf } from '@sandbox/program/request-id.ts';
import { daemonResponseHeaders, requestHeaders } from '../../exchange/headers.ts';
import type { Peer } from '../../exchange/peer.ts';
import { parseTarget } from '../../exchange/target.ts';
import { loopbackLookup } from '../../net/address.ts';

export interface GrpcUpstream {
  readonly host: string;
  readonly port: number;
  readonly authority: string;
  readonly agent: Agent;
}

interface Call {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly prefix: string;
  readonly peer: Peer;
  readonly upstream: GrpcUpstream;
  readonly admitted: () => void;
}

/** Status codes of gRPC by those of HTTP (doc/http-grpc-status-mapping.md of gRPC). */
const STATUS_OF_HTTP: Readonly<Record<number, number>> = {
  400: 13,
  401: 16,
  403: 7,
  404: 12,
  429: 14,
  502: 14,
  503: 14,
};
const UNKNOWN = 2;
const INTERNAL = 13;
const UNAVAILABLE = 14;
/** Bytes of an error of the daemon that are read for its message. */
const ERROR_BYTES = 64 * 1024;
/** Fields that HTTP/2 has no use for (RFC 9113 §8.2.2). */
const OF_CONNECTION: ReadonlySet<string> = new Set(['content-length', 'date', 'x-request-id']);

/** Relays a call as a request of HTTP/1.1, of which both directions are open at once, and its answer with the trailers. */
export function relayCall(call: Call): void {
  const { stream, headers, upstream } = call;
  stream.on('error', ignore);
  const target = parseTarget(String(headers[':path'] ?? ''), undefined);
  const isGrpc = /^application\/grpc(?:$|[+;])/.test(headers['content-type'] ?? '');
  if (!target || !isGrpc || headers[':method'] !== 'POST') {
    const status = headers[':method'] === 'POST' ? 415 : 405;
    stream.respond({ ':status': status }, { endStream: true });
    stream.close(constants.NGHTTP2_NO_ERROR);
    return;
  }
  const requestId = requestIdOf(headers['x-request-id']);
  const { host, port, agent } = upstream;
  let outgoing: ReturnType<typeof request>;
  try {
    outgoing = request({
      host,
      port,
      ...loopbackLookup(host),
      method: 'POST',
      path: call.prefix + target.raw,
      headers: [...fieldsOf(call, requestId), 'Transfer-Encoding', 'chunked'],
      setHost: false,
      agent,
    });
  } catch {
    fail(stream, INTERNAL, 'the call cannot be relayed');
    return;
  }
  outgoing.on('response', (answer) => void relayAnswer(call, answer, requestId));
  outgoing.on('error', () => fail(stream, UNAVAILABLE, 'the daemon does not answer'));
  stream.once('close', () => outgoing.destroy());
  outgoing.flushHeaders();
  stream.pipe(outgoing);
}

/** The fields of the call as those of HTTP/1.1. */
function fieldsOf({ headers, rawHeaders, peer, upstream }: Call, requestId: string): string[] {
  const own = rawHeaders.filter(
    (_, i) => !rawHeaders[i - (i % 2)]?.startsWith(':') && !isHost(rawHeaders[i - (i % 2)]),
  );
  const host = String(headers[':authority'] ?? headers.host ?? upstream.authority);
  const req = { rawHeaders: ['Host', host, ...own], headers: { ...headers, host } };
  return requestHeaders({ req, peer, requestId, traceparent: undefined }, upstream.authority);
}

function isHost(name: string | undefined): boolean {
  return name?.toLowerCase() === 'host';
}

async function relayAnswer({ stream, admitted }: Call, answer: IncomingMessage, requestId: string): Promise<void> {
  answer.on('error', ignore);
  if (stream.destroyed) {
    answer.destroy();
    return;
  }
  const flat = daemonResponseHeaders(answer.rawHeaders, { requestId, admitted });
  if (!/^application\/grpc/.test(answer.headers['content-type'] ?? '')) {
    const message = await messageOf(answer);
    fail(stream, STATUS_OF_HTTP[answer.statusCode ?? 0] ?? UNKNOWN, message);
    return;
  }
  const fields: Record<string, string> = {};
  for (let i = 0; i < flat.length; i += 2) {
    const name = (flat[i] ?? '').toLowerCase();
    if (!OF_CONNECTION.has(name)) fields[name] = flat[i + 1] ?? '';
  }
  stream.respond({ ':status': 200, ...fields }, { waitForTrailers: true });
  stream.once('wantTrailers', () => {
    // An answer that was cut has none: the client must not take it for a whole one.
    if (answer.complete) stream.sendTrailers({ ...answer.trailers });
    else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  });
  answer.once('close', () => {
    if (!answer.complete) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  });
  answer.pipe(stream);
}

/** Ends a call without a message. */
function fail(stream: ServerHttp2Stream, status: number, message: string): void {
  if (stream.destroyed || stream.headersSent) {
    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return;
  }
  const fields = { 'grpc-status': String(status), 'grpc-message': encodeURIComponent(message.toWellFormed()) };
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...fields }, { endStream: true });
  stream.resume();
}

/** The message of an error of the daemon. */
async function messageOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const piece of answer.setEncoding('utf8')) {
      text += piece;
      if (text.length > ERROR_BYTES) break;
    }
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}

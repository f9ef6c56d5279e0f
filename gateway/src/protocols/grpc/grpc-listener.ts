import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { ignore } from '@sandbox/program/ignore.ts';
import type { OpenConnections } from '@sandbox/program/server/open-connections.ts';
import { type Peer, peerOf } from '../../exchange/peer.ts';
import { type GrpcUpstream, relayCall } from './relay-call.ts';

/** Open calls of one connection; each has a connection of its own to the daemon. */
const STREAMS_MAX = 100;
/** Bytes of the header fields of one call. */
const HEADER_BYTES = 16 * 1024;
/** Megabytes that the frames and fields of one connection may hold. */
const SESSION_MB = 4;
/** Milliseconds that a connection without calls stays open. */
const IDLE_MS = 65_000;
/** Milliseconds within which a client begins HTTP/2. */
const PREFACE_MS = 10_000;

interface GrpcTerms {
  /** Prefix of the paths of the calls on the daemon. */
  readonly prefix: string;
  readonly upstream: GrpcUpstream;
  readonly connections: OpenConnections;
  readonly isTrusted: (address: string) => boolean;
}

/** The listener for gRPC: HTTP/2 without TLS, by prior knowledge (RFC 9113 §3.3). */
export class GrpcListener {
  readonly server: Http2Server;
  readonly #terms: GrpcTerms;
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(terms: GrpcTerms) {
    this.#terms = terms;
    this.server = createServer({
      settings: { maxConcurrentStreams: STREAMS_MAX, maxHeaderListSize: HEADER_BYTES, enablePush: false },
      maxSessionMemory: SESSION_MB,
      maxSessionInvalidFrames: 10,
      maxSessionRejectedStreams: 10,
      // Calls that clients cancel at once cost more than they cost the client.
      streamResetBurst: 200,
      streamResetRate: 50,
      maxSettings: 16,
      unknownProtocolTimeout: PREFACE_MS,
    });
    // The server makes the session of a connection while it handles the event of the connection.
    let accepted: { readonly socket: Socket; readonly peer: Peer } | undefined;
    this.server.prependListener('connection', (socket: Socket) => {
      socket.on('error', ignore);
      accepted = { socket, peer: peerOf(socket, terms.isTrusted) };
      terms.connections.takeForeign(socket);
    });
    this.server.on('session', (session) => {
      if (accepted) this.#onSession(session, accepted.socket, accepted.peer);
    });
  }

  /** Takes no more calls; connections end with their last call. */
  close(): void {
    for (const session of this.#sessions) session.close();
  }

  #onSession(session: ServerHttp2Session, socket: Socket, peer: Peer): void {
    if (socket.destroyed) {
      session.destroy();
      return;
    }
    const { prefix, upstream, connections } = this.#terms;
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
    session.on('error', ignore);
    let calls = 0;
    const limitIdle = (): void => void session.setTimeout(calls === 0 ? IDLE_MS : 0);
    session.on('timeout', () => session.close());
    limitIdle();
    const admitted = (): void => connections.admit(socket);
    session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags, rawHeaders: string[]) => {
      calls += 1;
      limitIdle();
      stream.once('close', () => {
        calls -= 1;
        limitIdle();
      });
      relayCall({ stream, headers, rawHeaders, prefix, peer, upstream, admitted });
    });
  }
}

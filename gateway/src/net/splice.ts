import type { Socket } from 'node:net';
import { endGently } from '@sandbox/program/close-when-read.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { WITHDRAWN } from '@sandbox/program/withdrawn.ts';
import type { WebSocketFrames } from './websocket-frames.ts';
import type { Sink, WideSocket } from './wide-socket.ts';

/** Idle time of a connection before TCP keep-alive probes, in milliseconds. */
const KEEP_ALIVE_MS = 30_000;
/** Milliseconds for a client to read why it is cut off. */
const WITHDRAWN_MS = 400;

export interface Followed {
  /** Of the upstream, if it speaks WebSocket. */
  readonly frames: WebSocketFrames;
  /**
   * Whether the upstream is started again after it was interrupted: if it ends or resets its connection between two
   * frames and without a close frame, the client is sent one.
   */
  readonly restarts: boolean;
}

/**
 * Joins a client's connection and an upstream's: bytes, backpressure, half-close and resets pass through. Both sockets
 * must allow half-open.
 * @returns cuts the client off, with a close frame if the upstream speaks WebSocket
 */
export function splice(client: Socket, upstream: WideSocket, followed?: Followed): () => void {
  for (const socket of [client, upstream]) {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
  }
  const restarting = followed?.restarts ? followed.frames : undefined;
  const cut = followed && new Cut(client, upstream, followed.frames);
  client.on('error', () => upstream.resetAndDestroy());
  client.on('close', () => upstream.destroySoon());
  client.pipe(upstream);
  upstream.on('end', () => endClient(client, restarting));
  upstream.on('error', () => {
    if (restarting?.interruption) endClient(client, restarting);
    else client.resetAndDestroy();
  });
  upstream.on('close', () => {
    if (cut?.isComplete) return;
    if (restarting?.interruption) lingerFor(client, upstream);
    else client.destroySoon();
  });
  upstream.pumpInto(cut ? followedSink(client, followed.frames, cut) : client);
  return () => {
    if (cut) cut.begin();
    else client.destroy();
  };
}

/** The end of a client whose credential was withdrawn: at once, or after the frame that it is being sent. */
class Cut {
  readonly #client: Socket;
  readonly #upstream: WideSocket;
  readonly #frames: WebSocketFrames;
  isBegun = false;
  isComplete = false;

  constructor(client: Socket, upstream: WideSocket, frames: WebSocketFrames) {
    this.#client = client;
    this.#upstream = upstream;
    this.#frames = frames;
  }

  begin(): void {
    if (this.isBegun) return;
    this.isBegun = true;
    this.#client.unpipe(this.#upstream);
    this.#client.on('data', ignore).resume();
    setTimeout(() => this.#client.destroy(), WITHDRAWN_MS).unref();
    if (this.#frames.isBetweenFrames) this.complete();
  }

  complete(): void {
    if (this.isComplete) return;
    this.isComplete = true;
    const last = this.#frames.closeFrame(WITHDRAWN.code, WITHDRAWN.reason);
    if (!this.#client.writableEnded) this.#client.end(last ?? '');
    this.#upstream.destroy();
  }
}

function endClient(client: Socket, frames: WebSocketFrames | undefined): void {
  const last = frames?.interruption;
  if (client.writableEnded || last === undefined) client.end();
  else client.end(last);
}

function followedSink(client: Socket, frames: WebSocketFrames, cut: Cut): Sink {
  return {
    write: (bytes, written) => {
      if (cut.isComplete) return false;
      if (!cut.isBegun) {
        frames.take(bytes);
        return client.write(bytes, written);
      }
      client.write(bytes.subarray(0, frames.takeFrame(bytes)), written);
      if (frames.isBetweenFrames) cut.complete();
      return true;
    },
    on: (event, listener) => client.on(event, listener),
  };
}

/** A client that answers the close frame on a closed connection would get a reset, which may overtake the frame. */
function lingerFor(client: Socket, upstream: WideSocket): void {
  client.unpipe(upstream);
  if (client.writableFinished || client.destroyed) endGently(client);
  else client.once('finish', () => endGently(client));
}

import type { Socket } from 'node:net';
import { endGently } from '@sandbox/program/close-when-read.ts';
import type { WebSocketFrames } from './websocket-frames.ts';
import type { Sink, WideSocket } from './wide-socket.ts';

/** Idle time of a connection before TCP keep-alive probes, in milliseconds. */
const KEEP_ALIVE_MS = 30_000;

/**
 * Joins a client's connection and an upstream's: bytes, backpressure, half-close and resets pass through. Both sockets
 * must allow half-open.
 * @param frames of an upstream that is started again after it was interrupted: if it ends or resets its connection
 *   between two frames and without a close frame, the client is sent one
 */
export function splice(client: Socket, upstream: WideSocket, frames?: WebSocketFrames): void {
  for (const socket of [client, upstream]) {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
  }
  client.on('error', () => upstream.resetAndDestroy());
  client.on('close', () => upstream.destroySoon());
  client.pipe(upstream);
  upstream.on('end', () => endClient(client, frames));
  upstream.on('error', () => {
    if (frames?.interruption) endClient(client, frames);
    else client.resetAndDestroy();
  });
  upstream.on('close', () => {
    if (frames?.interruption) lingerFor(client, upstream);
    else client.destroySoon();
  });
  upstream.pumpInto(frames ? followedSink(client, frames) : client);
}

function endClient(client: Socket, frames: WebSocketFrames | undefined): void {
  const last = frames?.interruption;
  if (client.writableEnded || last === undefined) client.end();
  else client.end(last);
}

function followedSink(client: Socket, frames: WebSocketFrames): Sink {
  return {
    write: (bytes, written) => {
      frames.take(bytes);
      return client.write(bytes, written);
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

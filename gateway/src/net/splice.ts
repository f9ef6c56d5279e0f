import type { Socket } from 'node:net';
import type { WideSocket } from './wide-socket.ts';

/** Idle time of a connection before TCP keep-alive probes, in milliseconds. */
const KEEP_ALIVE_MS = 30_000;

/**
 * Joins a client's connection and an upstream's: bytes, backpressure, half-close and resets pass through unparsed. Both
 * sockets must allow half-open.
 */
export function splice(client: Socket, upstream: WideSocket): void {
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.setNoDelay(true);
    from.setKeepAlive(true, KEEP_ALIVE_MS);
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => to.destroySoon());
  }
  client.pipe(upstream);
  upstream.on('end', () => client.end());
  upstream.pumpInto(client);
}

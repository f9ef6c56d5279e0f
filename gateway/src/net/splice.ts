import type { Socket } from 'node:net';
import type { WideSocket } from './wide-socket.ts';

/** How long a silent peer may stay silent before it is asked whether it is there, in milliseconds. */
const KEEP_ALIVE_MS = 30_000;

/**
 * Joins a client's connection and an upstream's: bytes, backpressure, the end of either direction and resets pass
 * through; nothing is decoded. Both sockets must allow half-open.
 */
export function splice(client: Socket, far: WideSocket): void {
  for (const [from, to] of [
    [client, far],
    [far, client],
  ] as const) {
    from.setNoDelay(true);
    from.setKeepAlive(true, KEEP_ALIVE_MS);
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => to.destroySoon());
  }
  client.pipe(far);
  far.on('end', () => client.end());
  far.pumpInto(client);
}

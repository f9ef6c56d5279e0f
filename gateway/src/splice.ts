import type { Socket } from 'node:net';

/** How long a silent peer may stay silent before it is asked whether it is there, in milliseconds. */
const KEEP_ALIVE_MS = 30_000;

/**
 * Joins two connections: bytes, backpressure, the end of either direction and resets pass through; nothing is
 * decoded. Both sockets must allow half-open.
 */
export function splice(a: Socket, b: Socket): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.setNoDelay(true);
    from.setKeepAlive(true, KEEP_ALIVE_MS);
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => to.destroySoon());
    from.pipe(to);
  }
}

import type { WebSocket } from 'ws';

/** Contract §1.5, in milliseconds. */
export const PING_MS = 20_000;
export const MISSED_MAX = 2;

/** Pings a peer every 20 s and ends the connection at the second pong that is missing. */
export function endSilentPeer(socket: WebSocket, { pingMs = PING_MS } = {}): void {
  let missed = 0;
  const timer = setInterval(() => {
    // What it sends is not read while the other side is full: its pongs may stand in it.
    if (socket.isPaused) return;
    if (missed >= MISSED_MAX) socket.terminate();
    else socket.ping();
    missed += 1;
  }, pingMs);
  socket.on('pong', () => {
    missed = 0;
  });
  socket.on('close', () => clearInterval(timer));
}

import type { WebSocket } from 'ws';

/** Milliseconds between two pings (docs/contract.md §1.5). */
export const PING_MS = 20_000;
export const MISSED_MAX = 2;

/** Pings a peer every 20 s and terminates the connection after two missed pongs. */
export function terminateSilentPeer(socket: WebSocket, { pingMs = PING_MS } = {}): void {
  let missed = 0;
  const timer = setInterval(() => {
    // While backpressure pauses reading, pongs may be waiting unread.
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

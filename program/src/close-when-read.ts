import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long an answered client may go on sending before its connection is cut, in milliseconds. */
const LINGER_MS = 30_000;

/**
 * For an answer that comes before its request was read: the connection ends with it, but only our half at once.
 * Closing both with bytes unread would reset it and take the answer from the client (RFC 9112 §9.6).
 * @returns the header fields that say so.
 */
export function closeWhenRead(req: IncomingMessage, res: ServerResponse): { Connection: 'close' } {
  const { socket } = req;
  res.shouldKeepAlive = false;
  socket.destroySoon = (): void => {
    req.removeAllListeners('data').removeAllListeners('readable').resume();
    endGently(socket);
  };
  return { Connection: 'close' };
}

/** Ends our half, and the rest when the client has ended its own or 30 s have passed. */
export function endGently(socket: Socket): void {
  socket.end();
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Time for a client to stop sending after the response before its connection is destroyed, in milliseconds. */
const LINGER_MS = 30_000;

/**
 * Prepares a response that is sent before the end of the request body: the connection closes after it, our half first.
 * Closing both halves with unread bytes would reset the connection and lose the response (RFC 9112 §9.6).
 * @returns the headers to send with the response
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

/** Ends our half of a connection, and destroys it when the client ends its half or after 30 s. */
export function endGently(socket: Socket): void {
  socket.end();
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

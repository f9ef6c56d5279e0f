import type { ServerResponse } from 'node:http';

/** Milliseconds for a client to take the answer. */
const TAKE_MS = 400;

/** An answer whose body is whole. */
export interface LastAnswer {
  readonly status: 401;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const REASONS: Readonly<Record<LastAnswer['status'], string>> = { 401: 'Unauthorized' };

/**
 * Ends an exchange that something else was to answer, and its connection: with this answer if nothing of another one was
 * sent. What was to answer finds that its client is gone, and what it still sends is dropped.
 */
export function endWith(res: ServerResponse, { status, headers, body }: LastAnswer): void {
  const { socket, req } = res;
  // Behind another answer of the connection, a response has no socket yet.
  if (res.headersSent || !socket?.writable) {
    res.destroy();
    return;
  }
  res.statusCode = status;
  const fields = { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${REASONS[status]}\r\n${lines.join('')}\r\n`;
  socket.write(req.method === 'HEAD' ? head : head + body);
  socket.destroySoon();
  setTimeout(() => res.destroy(), TAKE_MS).unref();
}

import type { IncomingMessage } from 'node:http';

/** Whether the headers of a request declare a body (RFC 9112 §6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}

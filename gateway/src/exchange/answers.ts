import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { closeWhenRead } from '@sandbox/program/close-when-read.ts';
import { isUpgrade, wantsPage } from './exchange.ts';
import { PAGE_HEADERS, problemPage } from './pages.ts';

interface Answerable {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
}

interface Refusal {
  readonly message: string;
  readonly hint?: string;
  readonly headers?: Readonly<Record<string, OutgoingHttpHeader>>;
}

/** The envelope of contract §1.1 for what the gateway refuses itself. */
export function envelope(message: string, hint: string | undefined): string {
  return JSON.stringify({ success: false, message, data: null, hint: hint ?? null });
}

/** Answers a program with the envelope, a page of a browser with the same words. */
export function answerRefusal(exchange: Answerable, status: number, { message, hint, headers }: Refusal): void {
  if (wantsPage(exchange) && !isUpgrade(exchange)) {
    answer(exchange, status, { ...PAGE_HEADERS, ...headers }, problemPage(status, { message, hint }));
    return;
  }
  answer(exchange, status, { 'Content-Type': 'application/json; charset=utf-8', ...headers }, envelope(message, hint));
}

/** Answers once, whole; nothing happens where an answer has begun or the client is gone. */
export function answer(
  { req, res, requestId }: Answerable,
  status: number,
  headers: Readonly<Record<string, OutgoingHttpHeader>>,
  body: string,
): void {
  if (res.headersSent || res.destroyed) return;
  const bytes = Buffer.from(body);
  const closing = req.complete ? {} : closeWhenRead(req, res);
  // RFC 9110 §8.6: a 204 has no length.
  const length = status === 204 ? {} : { 'Content-Length': bytes.length };
  res.writeHead(status, { ...headers, ...closing, ...length, 'x-request-id': requestId });
  res.end(bytes);
}

/** Ends a connection whose answer cannot be completed, so that no client takes the part for the whole. */
export function cutAnswer({ req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse }): void {
  // A client of HTTP/1.0 takes the end of the connection for the end of the body: only a reset is none.
  if (req.httpVersion === '1.0') req.socket.resetAndDestroy();
  else res.destroy();
}

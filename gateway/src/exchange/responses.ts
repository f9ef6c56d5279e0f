import { type IncomingMessage, type OutgoingHttpHeader, type ServerResponse, STATUS_CODES } from 'node:http';
import { closeWhenRead } from '@sandbox/program/close-when-read.ts';
import { isUpgrade, wantsPage } from './exchange.ts';
import { errorPage, PAGE_HEADERS } from './pages.ts';

interface RequestContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
}

interface ErrorContent {
  readonly message: string;
  readonly hint: string;
  readonly headers?: Readonly<Record<string, OutgoingHttpHeader>>;
}

/** The envelope of docs/contract.md §1.1 for the gateway's own errors. */
function envelope(message: string, hint: string): string {
  return JSON.stringify({ success: false, message, data: null, hint });
}

/** Sends an error: a page to a browser, otherwise the envelope with the same text. */
export function sendError(exchange: RequestContext, status: number, { headers, ...content }: ErrorContent): void {
  const error = errorAnswer(exchange, status, content);
  sendResponse(exchange, status, { ...error.headers, ...headers }, error.body);
}

/** What `sendError` sends. */
export function errorAnswer(
  exchange: Pick<RequestContext, 'req'>,
  status: number,
  { message, hint }: Omit<ErrorContent, 'headers'>,
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  if (wantsPage(exchange) && !isUpgrade(exchange)) {
    return { headers: PAGE_HEADERS, body: errorPage(status, { message, hint }) };
  }
  return { headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: envelope(message, hint) };
}

/** Sends a complete response; does nothing if a response has started or the client has disconnected. */
export function sendResponse(
  { req, res, requestId }: RequestContext,
  status: number,
  headers: Readonly<Record<string, OutgoingHttpHeader>>,
  body: string,
): void {
  if (res.headersSent || res.destroyed) return;
  const bytes = Buffer.from(body);
  const closing = req.complete ? {} : closeWhenRead(req, res);
  // A 204 has no Content-Length (RFC 9110 §8.6).
  const length = status === 204 ? {} : { 'Content-Length': bytes.length };
  // A reason that an upstream sent may remain from a rejected head.
  res.writeHead(status, STATUS_CODES[status] ?? '', { ...headers, ...closing, ...length, 'x-request-id': requestId });
  res.end(bytes);
}

/** Closes the connection of an incomplete response, so that no client takes the response for complete. */
export function abortResponse({ req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse }): void {
  // For HTTP/1.0 a regular close ends the body, so only a reset shows that it is incomplete.
  if (req.httpVersion === '1.0') req.socket.resetAndDestroy();
  else res.destroy();
}

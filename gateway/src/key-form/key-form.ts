import type { OutgoingHttpHeader } from 'node:http';
import type { Exchange } from '../exchange/exchange.ts';
import { keyPage, PAGE_HEADERS, pagePolicy } from '../exchange/pages.ts';
import { previewOrigin } from '../exchange/preview-address.ts';
import { sendResponse } from '../exchange/responses.ts';
import { namesCredential } from '../exchange/target.ts';
import { type Refused, refusedOf, withMark } from './form-mark.ts';

/**
 * Sends the form for the key, which posts to the same path. A credential that was refused leaves the address first, by
 * a redirect.
 * @param status of the form
 */
export function sendKeyForm(
  exchange: Exchange,
  status: number,
  headers: Readonly<Record<string, OutgoingHttpHeader>> = {},
): void {
  const { query } = exchange.target;
  if (namesCredential(query)) {
    redirectToForm(exchange, new URLSearchParams(query).has('api_key') ? 'key' : 'link');
    return;
  }
  // Browsers apply form-action to the redirects of a form too (CSP Level 3 §4.2.4).
  const origin = previewOrigin(exchange);
  const policy = pagePolicy(origin === undefined ? [] : [origin]);
  const content = keyPage({ action: withMark(query), refused: refusedOf(query) });
  sendResponse(exchange, status, { ...PAGE_HEADERS, ...headers, 'Content-Security-Policy': policy }, content);
}

/** Leads a browser to the form at the same path, which says what was refused. */
export function redirectToForm(exchange: Exchange, refused: Refused): void {
  // A reference without a path keeps the path of the browser, also behind a proxy that strips a prefix.
  const Location = withMark(exchange.target.query, refused);
  sendResponse(exchange, 303, { ...PAGE_HEADERS, Location }, '');
}

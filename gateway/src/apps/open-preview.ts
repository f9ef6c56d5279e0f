import type { Admission } from '../exchange/admission.ts';
import { publicPrefix } from '../exchange/app-headers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { previewOrigin, previewPath } from '../exchange/preview-address.ts';
import { sendError, sendResponse } from '../exchange/responses.ts';

/**
 * Redirects to a preview: on `{port}.localhost` with the ticket of the daemon, because the browser sends this host's
 * cookie to no other host; on any other host to `/proxy/{port}/`.
 */
export function openPreview(exchange: Exchange, admission: Admission): void {
  const origin = previewOrigin(exchange);
  if (origin === undefined) {
    redirect(exchange, `${publicPrefix(exchange)}${previewPath(exchange)}`);
    return;
  }
  const url = `${origin}/`;
  const { previewTicket } = admission;
  if (previewTicket !== undefined) redirect(exchange, `${url}?ticket=${previewTicket}`);
  // Without an API key no ticket is needed.
  else if (admission.credentials.size === 0) redirect(exchange, url);
  else sendError(exchange, 401, { message: 'a ticket cannot open another page', hint: 'open this with the key' });
}

function redirect(exchange: Exchange, location: string): void {
  sendResponse(
    exchange,
    302,
    { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
    '',
  );
}

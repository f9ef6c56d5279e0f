import { portOfOpenPreview } from '@sandbox/program/pages.ts';
import type { Admission } from '../exchange/admission.ts';
import { publicHost, publicPrefix, publicScheme } from '../exchange/app-headers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { sendError, sendResponse } from '../exchange/responses.ts';

export function isOpenPreview({ target }: Exchange): boolean {
  return portOfOpenPreview(target.path) !== undefined;
}

/**
 * Redirects to a preview: on `{port}.localhost` with the ticket of the daemon, because the browser sends this host's
 * cookie to no other host; on any other host to `/proxy/{port}/`.
 */
export function openPreview(exchange: Exchange, admission: Admission): void {
  const port = portOfOpenPreview(exchange.target.path) ?? '';
  const host = previewHost(publicHost(exchange), port);
  if (host === undefined) {
    redirect(exchange, `${publicPrefix(exchange)}/proxy/${port}/`);
    return;
  }
  const url = `${publicScheme(exchange)}://${host}/`;
  const { previewTicket } = admission;
  if (previewTicket !== undefined) redirect(exchange, `${url}?ticket=${previewTicket}`);
  // Without an API key no ticket is needed.
  else if (admission.credentials.size === 0) redirect(exchange, url);
  else sendError(exchange, 401, { message: 'a ticket cannot open another page', hint: 'open this with the key' });
}

/** `3000.localhost` resolves without configuration; for any other host such names may not exist. */
function previewHost(host: string, port: string): string | undefined {
  return /^localhost(:\d+)?$/i.test(host) ? `${port}.${host}` : undefined;
}

function redirect(exchange: Exchange, location: string): void {
  sendResponse(
    exchange,
    302,
    { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
    '',
  );
}

import type { Admission } from '../exchange/admission.ts';
import { queryWith } from '../exchange/admission.ts';
import { publicHost, publicPrefix, publicScheme } from '../exchange/app-headers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { CONTENT_HEADERS, requestHeaders, withoutFields } from '../exchange/headers.ts';
import { sendError, sendResponse } from '../exchange/responses.ts';
import { sendUpstreamError } from '../exchange/upstream-error.ts';
import { fetchSmall } from '../relay/fetch-small.ts';
import type { Services } from '../services.ts';

const PATH = /^\/open\/([1-9]\d{0,4})$/;
const TICKET_TIMEOUT_MS = 10_000;
const TICKET_MAX_BYTES = 64 * 1024;

export function isOpenPreview({ target }: Exchange): boolean {
  return PATH.test(target.path);
}

/**
 * Redirects to a preview: on `{port}.localhost` with a ticket, because the browser sends this host's cookie to no other
 * host; on any other host to `/proxy/{port}/`.
 */
export async function openPreview(exchange: Exchange, services: Services, admission: Admission): Promise<void> {
  const port = PATH.exec(exchange.target.path)?.[1] ?? '';
  const host = previewHost(publicHost(exchange), port);
  try {
    if (host === undefined) {
      redirect(exchange, `${publicPrefix(exchange)}/proxy/${port}/`);
      return;
    }
    const url = `${publicScheme(exchange)}://${host}/`;
    if (!hasCredential(exchange, admission)) {
      redirect(exchange, url);
      return;
    }
    const ticket = await createTicket(exchange, services, { port, admission });
    if (ticket !== undefined) redirect(exchange, `${url}?ticket=${ticket}`);
    else sendError(exchange, 401, { message: 'a ticket cannot open another page', hint: 'open this with the key' });
  } catch (error) {
    if (error instanceof TypeError)
      sendError(exchange, 503, { message: 'the daemon issued no ticket', hint: 'retry shortly' });
    else sendUpstreamError(exchange, error);
  }
}

/** `3000.localhost` resolves without configuration; for any other host such names may not exist. */
function previewHost(host: string, port: string): string | undefined {
  return /^localhost(:\d+)?$/i.test(host) ? `${port}.${host}` : undefined;
}

/** Whether the request carries a credential; without an API key none is sent and no ticket is needed. */
function hasCredential({ req }: Exchange, { credentials }: Admission): boolean {
  return credentials.size > 0 || (req.headers.cookie?.includes('svc_session') ?? false);
}

/** @returns undefined if the credential of this request cannot create a ticket */
async function createTicket(
  exchange: Exchange,
  { upstream }: Services,
  { port, admission }: { readonly port: string; readonly admission: Admission },
): Promise<string | undefined> {
  const headers = withoutFields(requestHeaders(exchange, upstream.authority), CONTENT_HEADERS);
  const body = JSON.stringify({ path_prefix: `/proxy/${port}` });
  const { status, body: text } = await fetchSmall({
    to: upstream,
    agent: upstream.freshAgent,
    method: 'POST',
    path: `/v2/tickets${queryWith(exchange.target.query, admission)}`,
    headers: [...headers, 'Content-Type', 'application/json', 'Content-Length', String(body.length)],
    body,
    timeoutMs: TICKET_TIMEOUT_MS,
    maxBytes: TICKET_MAX_BYTES,
  });
  if (status === 401) return undefined;
  const { data } = JSON.parse(text.toString()) as { data?: { ticket?: unknown } };
  if (typeof data?.ticket !== 'string') throw new TypeError('no ticket');
  return data.ticket;
}

function redirect(exchange: Exchange, location: string): void {
  sendResponse(
    exchange,
    302,
    { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
    '',
  );
}

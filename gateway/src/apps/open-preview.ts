import type { Admission } from '../auth.ts';
import { answer, answerRefusal } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { answerFailure } from '../exchange/failure.ts';
import { forwardedHeaders, OF_THE_BODY, withoutFields } from '../exchange/headers.ts';
import { publicHost, publicPrefix, publicScheme, queryWith } from '../exchange/own-headers.ts';
import { fetchSmall } from '../relay/fetch-small.ts';
import type { Services } from '../services.ts';

const PATH = /^\/open\/([1-9]\d{0,4})$/;
const ANSWER_MS = 10_000;
const ANSWER_MAX_BYTES = 64 * 1024;

export function isOpener({ target }: Exchange): boolean {
  return PATH.test(target.path);
}

/**
 * Leads to a preview: on a host of its own where there can be one, with a ticket in place of the credential that
 * the browser keeps for this host; else below this one.
 */
export async function openPreview(exchange: Exchange, services: Services, admission: Admission): Promise<void> {
  const port = PATH.exec(exchange.target.path)?.[1] ?? '';
  const host = previewHost(publicHost(exchange), port);
  try {
    if (host === undefined) {
      lead(exchange, `${publicPrefix(exchange)}/proxy/${port}/`);
      return;
    }
    const address = `${publicScheme(exchange)}://${host}/`;
    if (!isIdentified(exchange, admission)) {
      lead(exchange, address);
      return;
    }
    const ticket = await ticketFor(exchange, services, { port, admission });
    if (ticket !== undefined) lead(exchange, `${address}?ticket=${ticket}`);
    else answerRefusal(exchange, 401, { message: 'a ticket leads to no other page', hint: 'open this with the key' });
  } catch (error) {
    if (error instanceof TypeError) answerRefusal(exchange, 503, { message: 'the daemon gave no ticket' });
    else answerFailure(exchange, error);
  }
}

/** `3000.localhost` needs no name to be set up; of any other host it is not known that it has such names. */
function previewHost(host: string, port: string): string | undefined {
  return /^localhost(:\d+)?$/i.test(host) ? `${port}.${host}` : undefined;
}

/** Without a key nobody shows anything, and no ticket is needed. */
function isIdentified({ req }: Exchange, { credentials }: Admission): boolean {
  return credentials.size > 0 || (req.headers.cookie?.includes('svc_session') ?? false);
}

/** @returns undefined where what let this request in is good for no ticket. */
async function ticketFor(
  exchange: Exchange,
  { upstream }: Services,
  { port, admission }: { readonly port: string; readonly admission: Admission },
): Promise<string | undefined> {
  const headers = withoutFields(forwardedHeaders(exchange, upstream.authority), OF_THE_BODY);
  const body = JSON.stringify({ path_prefix: `/proxy/${port}` });
  const { status, body: text } = await fetchSmall({
    to: upstream,
    agent: upstream.freshAgent,
    method: 'POST',
    path: `/v2/tickets${queryWith(exchange.target.query, admission)}`,
    headers: [...headers, 'Content-Type', 'application/json', 'Content-Length', String(body.length)],
    body,
    timeoutMs: ANSWER_MS,
    maxBytes: ANSWER_MAX_BYTES,
  });
  if (status === 401) return undefined;
  const { data } = JSON.parse(text.toString()) as { data?: { ticket?: unknown } };
  if (typeof data?.ticket !== 'string') throw new TypeError('no ticket');
  return data.ticket;
}

function lead(exchange: Exchange, location: string): void {
  answer(exchange, 302, { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }, '');
}

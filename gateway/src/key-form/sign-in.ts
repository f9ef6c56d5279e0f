import { openPreview } from '../apps/open-preview.ts';
import { requestDecision, sendDenial } from '../auth.ts';
import type { DaemonUpstream } from '../daemon/daemon-upstream.ts';
import { publicPrefix } from '../exchange/app-headers.ts';
import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import { PAGE_HEADERS } from '../exchange/pages.ts';
import { isOpenPreview, previewOrigin, previewPath } from '../exchange/preview-address.ts';
import { sendError, sendResponse } from '../exchange/responses.ts';
import { ownReference, withQuery } from '../exchange/target.ts';
import { sendUpstreamError } from '../exchange/upstream-error.ts';
import { isForm, readForm } from './form-body.ts';
import { hasMark, withoutMark } from './form-mark.ts';
import { redirectToForm } from './key-form.ts';

/** The exchange of a posted key form, with the address of its page; undefined for any other request. */
export function postedForm(exchange: Exchange): Exchange | undefined {
  const { req, target } = exchange;
  if (req.method !== 'POST' || isUpgrade(exchange) || !hasMark(target.query) || !isForm(req)) return undefined;
  return { ...exchange, target: withQuery(target, withoutMark(target.query)) };
}

/**
 * Answers the key form: with the right key a redirect to its page and the cookie that a link with the key gets, else a
 * redirect to the form.
 * @param authTarget path and query of the page for the decision of the daemon
 */
export async function signIn(exchange: Exchange, upstream: DaemonUpstream, authTarget: string): Promise<void> {
  const form = await readForm(exchange.req);
  if (!form) {
    sendError(exchange, 400, {
      message: 'the form is too large or incomplete',
      hint: 'open the page and send the key',
    });
    return;
  }
  try {
    // A pasted key may have blanks around it.
    await answerKey(exchange, (form.get('api_key') ?? '').trim(), { upstream, authTarget });
  } catch (error) {
    sendUpstreamError(exchange, error);
  }
}

interface KeyQuestion {
  readonly upstream: DaemonUpstream;
  readonly authTarget: string;
}

async function answerKey(exchange: Exchange, key: string, { upstream, authTarget }: KeyQuestion): Promise<void> {
  const decide = (target: string) =>
    requestDecision(exchange, { target: withKey(target, key), method: 'GET' }, upstream);
  const isPreviewByPath = isOpenPreview(exchange) && previewOrigin(exchange) === undefined;
  const decision = await decide(isPreviewByPath ? previewPath(exchange) : authTarget);
  if (!decision.admitted) {
    if (decision.status === 401) redirectToForm(exchange, 'key');
    else sendDenial(exchange, decision);
    return;
  }
  if (decision.previewTicket !== undefined) {
    openPreview(exchange, decision);
    return;
  }
  // A path that is no page has no cookie of its own: the key then opens the landing page, whose cookie is valid for it.
  const cookies = decision.cookies.length > 0 ? decision.cookies : await landingCookies(decide('/'));
  const own = isPreviewByPath ? publicPrefix(exchange) + previewPath(exchange) : ownReference(exchange.target);
  if (cookies.length === 0) redirectToForm(exchange, 'key');
  else sendResponse(exchange, 303, { ...PAGE_HEADERS, Location: own, 'Set-Cookie': [...cookies] }, '');
}

async function landingCookies(decided: ReturnType<typeof requestDecision>): Promise<readonly string[]> {
  const decision = await decided;
  return decision.admitted ? decision.cookies : [];
}

function withKey(target: string, key: string): string {
  return `${target}${target.includes('?') ? '&' : '?'}api_key=${encodeURIComponent(key)}`;
}

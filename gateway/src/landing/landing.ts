import { redirectWithCookie, requestDecision, SITE_HEADERS, sendDenial } from '../auth.ts';
import { type Exchange, isUpgrade, wantsPage } from '../exchange/exchange.ts';
import { sendResponse } from '../exchange/responses.ts';
import { namesCredential } from '../exchange/target.ts';
import { sendUpstreamError } from '../exchange/upstream-error.ts';
import { sendKeyForm } from '../key-form/key-form.ts';
import type { Services } from '../services.ts';
import { appDocument } from './app-document.ts';
import { sandboxState } from './sandbox-state.ts';

/** A path that requires the key if one is set: its access decision tells whether the client is authenticated. */
const GUARDED_PATH = '/metrics';

/** `/` is a page for browsers; a request that does not accept HTML goes to the daemon. */
export function isLanding(exchange: Exchange): boolean {
  return wantsPage(exchange) && !isUpgrade(exchange);
}

/**
 * The landing page: the key form without a valid credential, the app with one. A credential in the
 * URL becomes the cookie that the daemon issues for `/`, which is valid for every path.
 */
export async function handleLanding(exchange: Exchange, services: Services): Promise<void> {
  const { upstream } = services;
  const { target } = exchange;
  const hasCredential = namesCredential(target.query);
  try {
    if (hasCredential) {
      const decision = await requestDecision(exchange, { target: target.raw }, upstream);
      if (decision.admitted && redirectWithCookie(exchange, decision)) return;
    }
    const query = target.query === undefined ? '' : `?${target.query}`;
    // A link of any site may lead to the landing page, but not to the guarded path.
    const question = { target: `${GUARDED_PATH}${query}`, ignored: SITE_HEADERS };
    const decision = await requestDecision(exchange, question, upstream);
    if (decision.admitted) {
      if (redirectWithCookie(exchange, decision)) return;
      const { headers, content } = appDocument(await sandboxState(exchange, services));
      sendResponse(exchange, 200, headers, content);
    } else if (decision.status === 401) {
      sendKeyForm(exchange, 200);
    } else {
      sendDenial(exchange, decision);
    }
  } catch (error) {
    sendUpstreamError(exchange, error);
  }
}

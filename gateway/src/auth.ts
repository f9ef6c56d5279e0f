import { CREDENTIAL, MISSING_SCOPE, VIEW_ONLY } from '@sandbox/program/withdrawn.ts';
import { usedCredential } from './access/credential-uses.ts';
import type { DaemonUpstream } from './daemon/daemon-upstream.ts';
import { type Admission, OWN_FRAMES, queryWithout } from './exchange/admission.ts';
import { isPreflight, keepCorsHeaders } from './exchange/cross-origin.ts';
import { type Exchange, isUpgrade, wantsPage } from './exchange/exchange.ts';
import { CONTENT_HEADERS, type FlatHeaders, requestHeaders, withoutFields } from './exchange/headers.ts';
import { PAGE_HEADERS } from './exchange/pages.ts';
import { sendError, sendResponse } from './exchange/responses.ts';
import { ownReference, withQuery } from './exchange/target.ts';
import { sendUpstreamError } from './exchange/upstream-error.ts';
import { hasMark, withoutMark } from './key-form/form-mark.ts';
import { sendKeyForm } from './key-form/key-form.ts';

/** The daemon's decision about a request. */
type AccessDecision =
  | ({ readonly admitted: true } & Admission)
  | {
      readonly admitted: false;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** Scopes of which the credential has none. */
      readonly scope?: string;
    };

/** Headers with which a browser describes the page that causes a request. */
export const SITE_HEADERS: ReadonlySet<string> = new Set(['sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest']);

const NO_CREDENTIALS: Pick<Admission, 'credentials'> = { credentials: new Set() };

interface Question {
  /** Path and query that the daemon decides about. */
  readonly target: string;
  /** Headers of the request that the decision ignores, in lower case. */
  readonly ignored?: ReadonlySet<string>;
  /** Method that the daemon decides about; default: that of the request. */
  readonly method?: string;
}

/**
 * Asks the daemon, which alone decides about access (docs/contract.md §1.4), with the headers of the request.
 * @throws the connection's error if the daemon does not respond
 */
export async function requestDecision(
  exchange: Exchange,
  { target, ignored = new Set(), method = exchange.req.method ?? 'GET' }: Question,
  upstream: DaemonUpstream,
): Promise<AccessDecision> {
  const fields = withoutFields(authRequestHeaders(exchange, { target, method }, upstream), ignored);
  const { status, headers } = await upstream.get('/internal/auth', fields);
  keepCorsHeaders(exchange.res, headers);
  if (status === 204) {
    const fields = valuesOf(headers, 'x-credentials').flatMap((value) => value.split(','));
    const credentials = new Set(fields.map((name) => name.trim()));
    const frameRule = valuesOf(headers, 'content-security-policy')[0] ?? OWN_FRAMES;
    const previewTicket = valuesOf(headers, 'x-preview-ticket')[0];
    const credential = usedCredential(valuesOf(headers, CREDENTIAL)[0]);
    const cookies = valuesOf(headers, 'set-cookie');
    const isViewOnly = valuesOf(headers, VIEW_ONLY).length > 0;
    return { admitted: true, isViewOnly, cookies, credentials, frameRule, previewTicket, credential };
  }
  const challenge = valuesOf(headers, 'www-authenticate')[0];
  const scope = valuesOf(headers, MISSING_SCOPE)[0];
  const answered = challenge === undefined ? {} : { 'WWW-Authenticate': challenge };
  return { admitted: false, status, headers: answered, ...(scope !== undefined && { scope }) };
}

function authRequestHeaders(
  exchange: Exchange,
  { target, method }: { readonly target: string; readonly method: string },
  upstream: DaemonUpstream,
): FlatHeaders {
  const headers = withoutFields(requestHeaders(exchange, upstream.authority), CONTENT_HEADERS);
  headers.push('X-Original-URI', target, 'X-Original-Method', method);
  if (isUpgrade(exchange)) headers.push('X-Original-Upgrade', exchange.protocol);
  return headers;
}

function valuesOf(raw: readonly string[], name: string): string[] {
  return raw.filter((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === name);
}

/**
 * Requires the daemon's admission for a request to one of the gateway's own upstreams.
 * @param target path and query that the daemon decides about
 * @returns undefined if the response has been sent here
 */
export async function authorize(
  exchange: Exchange,
  upstream: DaemonUpstream,
  target: string = exchange.target.raw,
): Promise<Admission | undefined> {
  try {
    const decision = await requestDecision(exchange, { target }, upstream);
    if (!decision.admitted) {
      sendDenial(exchange, decision);
      return undefined;
    }
    if (isPreflight(exchange.res)) {
      sendResponse(exchange, 204, {}, '');
      return undefined;
    }
    // A public preview was opened by no credential: its connection counts as one without.
    if (decision.credential) exchange.admitted?.();
    upstream.uses.hold(exchange, decision.credential);
    return redirectWithCookie(exchange, decision) ? undefined : decision;
  } catch (error) {
    sendUpstreamError(exchange, error);
    return undefined;
  }
}

/**
 * Redirects a page to its URL without the credential, which the cookie replaces (docs/contract.md §1.4), and without the mark of
 * the key form.
 */
export function redirectWithCookie(exchange: Exchange, admission: Admission): boolean {
  const { cookies, credentials } = admission;
  const { target } = exchange;
  if (!wantsPage(exchange) || isUpgrade(exchange)) return false;
  // Without a credential or the mark in the query, the redirect would lead to itself.
  const leavesKey = cookies.length > 0 && [...credentials].some((field) => field.startsWith('?'));
  if (!leavesKey && !hasMark(target.query)) return false;
  const query = withoutMark(queryWithout(target.query, leavesKey ? admission : NO_CREDENTIALS).slice(1));
  const Location = ownReference(withQuery(target, query || undefined));
  sendResponse(exchange, 302, { ...PAGE_HEADERS, Location, 'Set-Cookie': [...cookies] }, '');
  return true;
}

export function sendDenial(
  exchange: Exchange,
  { status, headers, scope }: AccessDecision & { readonly admitted: false },
): void {
  if (status < 400 || status > 499) {
    sendError(exchange, 503, {
      message: 'the daemon could not decide about the request',
      hint: 'retry shortly; the log of the daemon has the cause',
      headers: { 'Retry-After': '1' },
    });
  } else if (status === 401 && wantsPage(exchange) && !isUpgrade(exchange)) {
    sendKeyForm(exchange, status, headers);
  } else if (status === 401) {
    sendError(exchange, 401, {
      message: 'a valid API key is required',
      hint: 'send Authorization: Bearer <key>, x-api-key: <key>, or ?api_key=<key> if headers cannot be set',
      headers,
    });
  } else if (scope !== undefined) {
    const hint = 'use a key with such a scope; SVC_ACCESS_KEYS_FILE has the scopes of each key';
    sendError(exchange, status, { message: `this needs the scope ${scope}`, headers, hint });
  } else {
    sendError(exchange, status, { message: 'the daemon refuses this request', headers, hint: refusalHint(status) });
  }
}

function refusalHint(status: number): string {
  return status === 403
    ? 'the Host or the Origin is not allowed: see SVC_ALLOWED_HOSTS and SVC_ALLOWED_ORIGINS'
    : 'the log of the daemon has the cause';
}

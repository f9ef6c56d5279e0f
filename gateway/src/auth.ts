import type { Upstream } from './daemon/upstream.ts';
import { answer, answerRefusal } from './exchange/answers.ts';
import { isPreflight, keepGrant } from './exchange/cross-origin.ts';
import { type Exchange, isUpgrade, wantsPage } from './exchange/exchange.ts';
import { answerFailure } from './exchange/failure.ts';
import { type FlatHeaders, forwardedHeaders, OF_THE_BODY, withoutFields } from './exchange/headers.ts';
import { keyPage, PAGE_HEADERS } from './exchange/pages.ts';
import { carriesCredential, withoutCredentials } from './exchange/target.ts';

/** What comes with the permission to go on. */
export interface Admission {
  /** Go out with whatever answers the request. */
  readonly cookies: readonly string[];
  /** Fields and query parameters that carry a credential of the service: what stands behind the gate does not get them. */
  readonly credentials: ReadonlySet<string>;
}

/** What the daemon says of a request. */
type Judgement =
  | ({ readonly allowed: true } & Admission)
  | { readonly allowed: false; readonly status: number; readonly headers: Readonly<Record<string, string>> };

/**
 * Asks the daemon, which alone judges who gets in (contract §1.4), with the request's own fields.
 * @param target what is asked for, as the daemon is to judge it.
 * @throws the client's error where the daemon gives no answer.
 */
export async function judge(exchange: Exchange, target: string, upstream: Upstream): Promise<Judgement> {
  const { status, headers } = await upstream.ask('/internal/auth', questionHeaders(exchange, target, upstream));
  keepGrant(exchange.res, headers);
  if (status === 204) {
    const named = valuesOf(headers, 'x-credentials').flatMap((value) => value.split(','));
    const credentials = new Set(named.map((name) => name.trim()));
    return { allowed: true, cookies: valuesOf(headers, 'set-cookie'), credentials };
  }
  const challenge = valuesOf(headers, 'www-authenticate')[0];
  return { allowed: false, status, headers: challenge === undefined ? {} : { 'WWW-Authenticate': challenge } };
}

function questionHeaders(exchange: Exchange, target: string, upstream: Upstream): FlatHeaders {
  const headers = withoutFields(forwardedHeaders(exchange, upstream.authority), OF_THE_BODY);
  headers.push('X-Original-URI', target, 'X-Original-Method', exchange.req.method ?? 'GET');
  if (isUpgrade(exchange)) headers.push('X-Original-Upgrade', exchange.protocol);
  return headers;
}

function valuesOf(raw: readonly string[], name: string): string[] {
  return raw.filter((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === name);
}

/**
 * Lets a request through to one of the gateway's own upstreams, or answers it.
 * @param target what is asked for, as the daemon is to judge it.
 * @returns undefined where it has been answered here.
 */
export async function passGate(
  exchange: Exchange,
  upstream: Upstream,
  target: string = exchange.target.raw,
): Promise<Admission | undefined> {
  try {
    const judgement = await judge(exchange, target, upstream);
    if (!judgement.allowed) {
      answerJudgement(exchange, judgement);
      return undefined;
    }
    if (isPreflight(exchange.res)) {
      answer(exchange, 204, {}, '');
      return undefined;
    }
    return answerWithCookie(exchange, judgement.cookies) ? undefined : judgement;
  } catch (error) {
    answerFailure(exchange, error);
    return undefined;
  }
}

/** Takes the credential out of a page's address once a cookie stands for it (contract §1.4). */
export function answerWithCookie(exchange: Exchange, cookies: readonly string[]): boolean {
  if (cookies.length === 0 || !wantsPage(exchange) || isUpgrade(exchange)) return false;
  if (!carriesCredential(exchange.target.query)) return false;
  const headers = { ...PAGE_HEADERS, Location: withoutCredentials(exchange.target), 'Set-Cookie': [...cookies] };
  answer(exchange, 302, headers, '');
  return true;
}

export function answerJudgement(
  exchange: Exchange,
  { status, headers }: Judgement & { readonly allowed: false },
): void {
  if (status < 400 || status > 499) {
    answerRefusal(exchange, 503, {
      message: 'the daemon could not judge the request',
      hint: 'repeat it shortly; the log of the daemon says more',
      headers: { 'Retry-After': '1' },
    });
  } else if (status === 401 && wantsPage(exchange) && !isUpgrade(exchange)) {
    answer(exchange, status, { ...PAGE_HEADERS, ...headers }, keyPage(exchange.target));
  } else if (status === 401) {
    answerRefusal(exchange, 401, {
      message: 'a valid API key is required',
      hint: 'send Authorization: Bearer <key>, x-api-key: <key>, or ?api_key=<key> where headers cannot be set',
      headers,
    });
  } else {
    answerRefusal(exchange, status, { message: 'the daemon refuses this request', headers, hint: refusalHint(status) });
  }
}

function refusalHint(status: number): string {
  return status === 403
    ? 'the Host or the Origin is not allowed: see SVC_ALLOWED_HOSTS and SVC_ALLOWED_ORIGINS'
    : 'the log of the daemon says more';
}

import { answer, answerRefusal } from './answers.ts';
import { type Exchange, isUpgrade, wantsPage } from './exchange.ts';
import { answerFailure } from './failure.ts';
import { type FlatHeaders, forwardedHeaders } from './headers.ts';
import { keyPage, PAGE_HEADERS, refusedPage } from './pages.ts';
import { carriesCredential, withoutCredentials } from './target.ts';
import type { Upstream } from './upstream.ts';

/** What the daemon says of a request; `cookies` go out with whatever answers it. */
export type Judgement =
  | { readonly allowed: true; readonly cookies: readonly string[] }
  | { readonly allowed: false; readonly status: number; readonly headers: Readonly<Record<string, string>> };

/** Fields of a body, which the question does not have. */
const OF_THE_BODY = new Set(['content-length', 'content-type', 'content-encoding', 'transfer-encoding']);

/**
 * Asks the daemon, which alone judges who gets in (contract §1.4), with the request's own fields.
 * @param target what is asked for, as the daemon is to judge it.
 * @throws the client's error where the daemon gives no answer.
 */
export async function judge(exchange: Exchange, target: string, upstream: Upstream): Promise<Judgement> {
  const { status, headers } = await upstream.ask('/internal/auth', questionHeaders(exchange, target, upstream));
  if (status === 204) return { allowed: true, cookies: valuesOf(headers, 'set-cookie') };
  const challenge = valuesOf(headers, 'www-authenticate')[0];
  return { allowed: false, status, headers: challenge === undefined ? {} : { 'WWW-Authenticate': challenge } };
}

function questionHeaders(exchange: Exchange, target: string, upstream: Upstream): FlatHeaders {
  const all = forwardedHeaders(exchange, upstream.authority);
  const headers: FlatHeaders = [];
  for (let i = 0; i < all.length; i += 2) {
    const name = all[i] ?? '';
    if (!OF_THE_BODY.has(name.toLowerCase())) headers.push(name, all[i + 1] ?? '');
  }
  headers.push('X-Original-URI', target, 'X-Original-Method', exchange.req.method ?? 'GET');
  if (isUpgrade(exchange)) headers.push('X-Original-Upgrade', exchange.protocol);
  return headers;
}

function valuesOf(raw: readonly string[], name: string): string[] {
  return raw.filter((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === name);
}

/**
 * Lets a request through to one of the gateway's own upstreams, or answers it.
 * @returns the cookies that go with its answer; undefined where it has been answered here.
 */
export async function passGate(exchange: Exchange, upstream: Upstream): Promise<readonly string[] | undefined> {
  try {
    const judgement = await judge(exchange, exchange.target.raw, upstream);
    if (!judgement.allowed) {
      answerJudgement(exchange, judgement);
      return undefined;
    }
    return answerWithCookie(exchange, judgement.cookies) ? undefined : judgement.cookies;
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
  } else if (wantsPage(exchange) && !isUpgrade(exchange)) {
    answer(
      exchange,
      status,
      { ...PAGE_HEADERS, ...headers },
      status === 401 ? keyPage(exchange.target) : refusedPage(status),
    );
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

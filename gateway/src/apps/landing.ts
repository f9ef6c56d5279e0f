import { answerJudgement, answerWithCookie, judge } from '../auth.ts';
import type { Upstream } from '../daemon/upstream.ts';
import { answer } from '../exchange/answers.ts';
import { type Exchange, isUpgrade, wantsPage } from '../exchange/exchange.ts';
import { answerFailure } from '../exchange/failure.ts';
import { forwardedHeaders } from '../exchange/headers.ts';
import { type DaemonState, keyPage, type Link, PAGE_HEADERS, statusPage } from '../exchange/pages.ts';
import { carriesCredential } from '../exchange/target.ts';
import { isListening } from '../net/address.ts';
import { listeningPorts } from '../net/listening-ports.ts';
import type { Services } from '../services.ts';

/** Needs the key when one is set, so the judgement of it is the judgement of who asks. */
const GUARDED_PATH = '/metrics';

/** `/` is a page for browsers only; for programs it is the daemon's. */
export function isLanding(exchange: Exchange): boolean {
  return wantsPage(exchange) && !isUpgrade(exchange);
}

/**
 * The landing page: without a valid credential nothing but the form that asks for the key, with one the state of
 * the sandbox. A credential in the address becomes the cookie that covers everything, which the daemon gives for `/`.
 */
export async function answerLanding(exchange: Exchange, services: Services): Promise<void> {
  const { upstream } = services;
  const { target } = exchange;
  const presented = carriesCredential(target.query);
  try {
    if (presented) {
      const opened = await judge(exchange, target.raw, upstream);
      if (opened.allowed && answerWithCookie(exchange, opened.cookies)) return;
    }
    const query = target.query === undefined ? '' : `?${target.query}`;
    const judgement = await judge(exchange, `${GUARDED_PATH}${query}`, upstream);
    if (judgement.allowed) {
      answer(exchange, 200, PAGE_HEADERS, await sandboxPage(exchange, services));
    } else if (judgement.status === 401) {
      answer(exchange, 200, PAGE_HEADERS, keyPage(target, { rejected: presented }));
    } else {
      answerJudgement(exchange, judgement);
    }
  } catch (error) {
    answerFailure(exchange, error);
  }
}

async function sandboxPage(exchange: Exchange, services: Services): Promise<string> {
  const { upstream, version, isOwnPort } = services;
  const [daemon, links, ports] = await Promise.all([
    daemonState(exchange, upstream),
    runningLinks(services),
    listeningPorts(),
  ]);
  const previews = ports.filter((port) => !isOwnPort(port));
  return statusPage({ version, daemon, links, previews });
}

/** The gateway's own services that something listens for. */
async function runningLinks({ browser, desktop, codeServer, jupyter }: Services): Promise<Link[]> {
  const known = [
    { text: 'Desktop', href: 'vnc/', address: desktop.address },
    { text: 'VS Code (code-server)', href: 'code-server/', address: codeServer.address },
    { text: 'JupyterLab', href: 'jupyter/lab', address: jupyter.address },
    { text: 'Browser (DevTools protocol)', href: 'cdp/json/version', address: browser.address },
  ];
  const running = await Promise.all(known.map(({ address }) => address !== undefined && isListening(address)));
  return [{ text: 'Terminal', href: 'terminal/' }, ...known.filter((_, i) => running[i])];
}

async function daemonState(exchange: Exchange, upstream: Upstream): Promise<DaemonState | undefined> {
  const { body } = await upstream.ask('/health', forwardedHeaders(exchange, upstream.authority));
  const health = parsed(body);
  const status = health?.['status'];
  const version = health?.['version'];
  return {
    status: typeof status === 'string' ? status : 'unknown',
    version: typeof version === 'string' ? version : 'unknown',
  };
}

/** The object of the answer, or of its `data` where it comes in an envelope. */
function parsed(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    if (!isRecord(value)) return undefined;
    return isRecord(value['data']) ? value['data'] : value;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

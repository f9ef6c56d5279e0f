import { redirectWithCookie, requestDecision, SITE_HEADERS, sendDenial } from '../auth.ts';
import type { DaemonUpstream } from '../daemon/daemon-upstream.ts';
import { type Exchange, isUpgrade, wantsPage } from '../exchange/exchange.ts';
import { requestHeaders } from '../exchange/headers.ts';
import { type DaemonState, type Link, PAGE_HEADERS, statusPage } from '../exchange/pages.ts';
import { sendResponse } from '../exchange/responses.ts';
import { namesCredential } from '../exchange/target.ts';
import { sendUpstreamError } from '../exchange/upstream-error.ts';
import { sendKeyForm } from '../key-form/key-form.ts';
import { isListening } from '../net/address.ts';
import { listeningPorts } from '../net/listening-ports.ts';
import type { Services } from '../services.ts';

/** A path that requires the key if one is set: its access decision tells whether the client is authenticated. */
const GUARDED_PATH = '/metrics';

/** `/` is a page for browsers; a request that does not accept HTML goes to the daemon. */
export function isLanding(exchange: Exchange): boolean {
  return wantsPage(exchange) && !isUpgrade(exchange);
}

/**
 * The landing page: the key form without a valid credential, the state of the sandbox with one. A credential in the
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
      sendResponse(exchange, 200, PAGE_HEADERS, await sandboxPage(exchange, services));
    } else if (decision.status === 401) {
      sendKeyForm(exchange, 200);
    } else {
      sendDenial(exchange, decision);
    }
  } catch (error) {
    sendUpstreamError(exchange, error);
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

/** Links to the gateway's applications that are listening. */
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

async function daemonState(exchange: Exchange, upstream: DaemonUpstream): Promise<DaemonState | undefined> {
  const { body } = await upstream.get('/health', requestHeaders(exchange, upstream.authority));
  const health = parseObject(body);
  const status = health?.['status'];
  const version = health?.['version'];
  return {
    status: typeof status === 'string' ? status : 'unknown',
    version: typeof version === 'string' ? version : 'unknown',
  };
}

/** The JSON object of a response, or its `data` if the object is an envelope; undefined for anything else. */
function parseObject(body: Buffer): Record<string, unknown> | undefined {
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

import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import type { Admission } from '../exchange/admission.ts';
import { queryWith, queryWithout } from '../exchange/admission.ts';
import { appHeaders, publicHost, publicPrefix, publicScheme } from '../exchange/app-headers.ts';
import { type Exchange, isUpgrade, type UpgradeExchange } from '../exchange/exchange.ts';
import { type FlatHeaders, needsLength, responseHeaders, withoutFields } from '../exchange/headers.ts';
import { sendError, sendResponse } from '../exchange/responses.ts';
import { sendUpstreamError } from '../exchange/upstream-error.ts';
import type { Address } from '../net/address.ts';
import { UploadAgent } from '../net/upload-agent.ts';
import { fetchSmall } from '../relay/fetch-small.ts';
import type { ProxyTarget } from '../relay/proxy-target.ts';
import { relayStreamed } from '../relay/streamed.ts';
import { relayUpgrade } from '../relay/upgrade.ts';
import { devtoolsPath, type PublicDevtools, rewriteDiscovery } from './cdp-discovery.ts';

const PREFIX = GATEWAY_PATHS.browser;
const LOCAL_HOST = 'localhost';
/** Time for the browser to answer, in milliseconds; one that is starting answers late. */
const ANSWER_TIMEOUT_MS = 10_000;
const DISCOVERY_MAX_BYTES = 16 * 1024 * 1024;
/** Paths of responses with DevTools URLs; `/json/protocol` is long and contains no URL. */
const DISCOVERY = /^\/json(?:\/(?:version|list|new)?)?\/?$/;
const ABSENT_HINT =
  'it is starting, or was not started (BROWSER_START_MODE), or has exited: POST /v2/browser/start and the command ' +
  'start-browser start the browser of an image and wait for it';

/** The browser's DevTools: the discovery is rewritten to public addresses; WebSockets are relayed without parsing. */
export class Browser implements Disposable {
  readonly address: Address;
  readonly #agent = new UploadAgent({ keepAlive: false });

  constructor(address: Address) {
    this.address = address;
  }

  async handle(exchange: Exchange, admission: Admission): Promise<void> {
    const { path: whole } = exchange.target;
    const path = whole.startsWith(GATEWAY_PATHS.discovery) ? whole : whole.slice(PREFIX.length);
    if (isUpgrade(exchange)) {
      await this.#relay(exchange, path, admission);
    } else if (DISCOVERY.test(path) || (path.startsWith('/json/') && exchange.req.method === 'HEAD')) {
      await this.#discover(exchange, path, admission);
    } else if (path.startsWith('/json/') && exchange.req.method !== 'HEAD') {
      relayStreamed(exchange, this.#proxyTarget(exchange, path, admission));
    } else {
      sendError(exchange, 404, {
        message: 'no such path of DevTools',
        hint: 'GET /cdp/json/version returns the WebSocket address; /cdp itself accepts a WebSocket too',
      });
    }
  }

  async #discover(exchange: Exchange, path: string, admission: Admission): Promise<void> {
    try {
      const { status, headers, body } = await this.#fetch(exchange, path, admission);
      const text = status === 200 ? rewriteDiscovery(body.toString(), publicDevtools(exchange, admission)) : undefined;
      const cookies = admission.cookies.length > 0 ? { 'Set-Cookie': [...admission.cookies] } : {};
      const type = headers.find((_, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === 'content-type');
      const fields = { 'Content-Type': type ?? 'text/plain', 'Cache-Control': 'no-store', ...cookies };
      sendResponse(exchange, status, fields, text ?? body.toString());
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  /** Relays a WebSocket of the discovery; `/cdp` is the WebSocket of the browser, which has a new id after each start. */
  async #relay(exchange: UpgradeExchange, path: string, admission: Admission): Promise<void> {
    if (path.startsWith('/devtools/')) {
      relayUpgrade(exchange, this.#proxyTarget(exchange, path, admission));
    } else if (path === '' || path === '/') {
      try {
        const { body } = await this.#fetch(exchange, '/json/version', admission);
        const version = JSON.parse(body.toString()) as { webSocketDebuggerUrl?: unknown };
        const found = devtoolsPath(version.webSocketDebuggerUrl);
        if (found === undefined) throw new TypeError('no DevTools address');
        relayUpgrade(exchange, this.#proxyTarget(exchange, found, admission));
      } catch (error) {
        this.#fail(exchange, error);
      }
    } else {
      sendError(exchange, 404, {
        message: 'no such WebSocket of DevTools',
        hint: 'GET /cdp/json/list names the address of each tab',
      });
    }
  }

  #fetch(exchange: Exchange, path: string, admission: Admission): ReturnType<typeof fetchSmall> {
    const query = path === '/json/new' ? queryWithout(exchange.target.query, admission) : '';
    // The browser does not answer HEAD (RFC 9110 §9.3.2: as GET, without the body).
    const asked = exchange.req.method ?? 'GET';
    const method = isUpgrade(exchange) || asked === 'HEAD' ? 'GET' : asked;
    return fetchSmall({
      to: this.address,
      agent: this.#agent,
      method,
      path: path + query,
      headers: ['Host', LOCAL_HOST, ...(needsLength(method) ? ['Content-Length', '0'] : [])],
      timeoutMs: ANSWER_TIMEOUT_MS,
      maxBytes: DISCOVERY_MAX_BYTES,
    });
  }

  #fail(exchange: Exchange, error: unknown): void {
    const isTimeout = error instanceof Error && error.name === 'AbortError';
    if (isTimeout || error instanceof SyntaxError || error instanceof TypeError) {
      sendError(exchange, 503, {
        message: 'the browser did not respond',
        hint: ABSENT_HINT,
        headers: { 'Retry-After': '1' },
      });
    } else {
      sendUpstreamError(exchange, error, { service: 'the browser', absentHint: ABSENT_HINT });
    }
  }

  #proxyTarget(exchange: Exchange, path: string, admission: Admission): ProxyTarget {
    return {
      service: 'the browser',
      to: this.address,
      agent: this.#agent,
      path: path + queryWithout(exchange.target.query, admission),
      headers: browserHeaders(exchange, admission),
      responseHeaders: (raw) => responseHeaders(raw, exchange.requestId, admission.cookies),
      absentHint: ABSENT_HINT,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
    };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** Chromium accepts only an IP address or `localhost` as `Host` and no `Origin`; the daemon has checked the origin. */
function browserHeaders(exchange: Exchange, admission: Admission): FlatHeaders {
  return withoutFields(appHeaders(exchange, admission, LOCAL_HOST), new Set(['origin']));
}

/** The addresses keep the credential of the query, so that a client without headers can use them. */
function publicDevtools(exchange: Exchange, admission: Admission): PublicDevtools {
  return {
    scheme: publicScheme(exchange) === 'https' ? 'wss' : 'ws',
    base: `${publicHost(exchange)}${publicPrefix(exchange)}${PREFIX}`,
    query: queryWith(exchange.target.query, admission),
  };
}

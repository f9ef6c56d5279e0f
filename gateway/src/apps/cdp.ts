import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import type { Admission } from '../auth.ts';
import { answer, answerRefusal } from '../exchange/answers.ts';
import { type Exchange, isUpgrade, type UpgradeExchange } from '../exchange/exchange.ts';
import { answerFailure } from '../exchange/failure.ts';
import { answeredHeaders, type FlatHeaders, needsLength, withoutFields } from '../exchange/headers.ts';
import {
  ownHeaders,
  publicHost,
  publicPrefix,
  publicScheme,
  queryWith,
  queryWithout,
} from '../exchange/own-headers.ts';
import type { Address } from '../net/address.ts';
import { UploadAgent } from '../net/upload-agent.ts';
import { fetchSmall } from '../relay/fetch-small.ts';
import type { ProxyTarget } from '../relay/proxy-target.ts';
import { relayStreamed } from '../relay/streamed.ts';
import { relayUpgrade } from '../relay/upgrade.ts';
import { devtoolsPath, rewriteDiscovery } from './cdp-discovery.ts';

const PREFIX = GATEWAY_PATHS.browser;
const LOCAL_HOST = 'localhost';
/** How long a browser that starts may take to say what it has, in milliseconds. */
const ANSWER_MS = 10_000;
const DISCOVERY_MAX_BYTES = 16 * 1024 * 1024;
/** What names DevTools addresses; `/json/protocol` is long and names none. */
const DISCOVERY = /^\/json(?:\/(?:version|list|new)?)?\/?$/;
const ABSENT_HINT =
  'the browser is starting, has not been started (BROWSER_START_MODE) or has ended: repeat the request shortly';

/** The browser's DevTools: its discovery with public addresses, and its WebSockets, frames unread. */
export class Browser implements Disposable {
  readonly address: Address;
  readonly #agent = new UploadAgent({ keepAlive: false });

  constructor(address: Address) {
    this.address = address;
  }

  async answer(exchange: Exchange, admission: Admission): Promise<void> {
    const path = exchange.target.path.slice(PREFIX.length);
    if (isUpgrade(exchange)) {
      await this.#relay(exchange, path, admission);
    } else if (DISCOVERY.test(path)) {
      await this.#discover(exchange, path, admission);
    } else if (path.startsWith('/json/')) {
      relayStreamed(exchange, this.#proxyTarget(exchange, path, admission));
    } else {
      answerRefusal(exchange, 404, {
        message: 'DevTools has no such address',
        hint: 'GET /cdp/json/version names its WebSocket; /cdp itself takes one too',
      });
    }
  }

  async #discover(exchange: Exchange, path: string, admission: Admission): Promise<void> {
    try {
      const { status, headers, body } = await this.#ask(exchange, path, admission);
      const text = status === 200 ? rewriteDiscovery(body.toString(), publicDevtools(exchange, admission)) : undefined;
      const cookies = admission.cookies.length > 0 ? { 'Set-Cookie': [...admission.cookies] } : {};
      const type = headers.find((_, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === 'content-type');
      const fields = { 'Content-Type': type ?? 'text/plain', 'Cache-Control': 'no-store', ...cookies };
      answer(exchange, status, fields, text ?? body.toString());
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  /** A WebSocket of the discovery, or, at `/cdp` itself, the browser's own, whatever its id is by now. */
  async #relay(exchange: UpgradeExchange, path: string, admission: Admission): Promise<void> {
    if (path.startsWith('/devtools/')) {
      relayUpgrade(exchange, this.#proxyTarget(exchange, path, admission));
    } else if (path === '' || path === '/') {
      try {
        const { body } = await this.#ask(exchange, '/json/version', admission);
        const version = JSON.parse(body.toString()) as { webSocketDebuggerUrl?: unknown };
        const found = devtoolsPath(version.webSocketDebuggerUrl);
        if (found === undefined) throw new TypeError('no DevTools address');
        relayUpgrade(exchange, this.#proxyTarget(exchange, found, admission));
      } catch (error) {
        this.#fail(exchange, error);
      }
    } else {
      answerRefusal(exchange, 404, { message: 'DevTools has no such WebSocket' });
    }
  }

  #ask(exchange: Exchange, path: string, admission: Admission): ReturnType<typeof fetchSmall> {
    const query = path === '/json/new' ? queryWithout(exchange.target.query, admission) : '';
    const method = isUpgrade(exchange) ? 'GET' : (exchange.req.method ?? 'GET');
    return fetchSmall({
      to: this.address,
      agent: this.#agent,
      method,
      path: path + query,
      headers: ['Host', LOCAL_HOST, ...(needsLength(method) ? ['Content-Length', '0'] : [])],
      timeoutMs: ANSWER_MS,
      maxBytes: DISCOVERY_MAX_BYTES,
    });
  }

  #fail(exchange: Exchange, error: unknown): void {
    const late = error instanceof Error && error.name === 'AbortError';
    if (late || error instanceof SyntaxError || error instanceof TypeError) {
      answerRefusal(exchange, 503, {
        message: 'the browser does not answer',
        hint: ABSENT_HINT,
        headers: { 'Retry-After': '1' },
      });
    } else {
      answerFailure(exchange, error, { service: 'the browser', absentHint: ABSENT_HINT });
    }
  }

  #proxyTarget(exchange: Exchange, path: string, admission: Admission): ProxyTarget {
    return {
      service: 'the browser',
      to: this.address,
      agent: this.#agent,
      path: path + queryWithout(exchange.target.query, admission),
      headers: browserHeaders(exchange, admission),
      answered: (raw) => answeredHeaders(raw, exchange.requestId, admission.cookies),
      absentHint: ABSENT_HINT,
    };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** Chromium answers to an IP address or `localhost` alone, and to no page's `Origin`: the daemon has judged that. */
function browserHeaders(exchange: Exchange, admission: Admission): FlatHeaders {
  return withoutFields(ownHeaders(exchange, admission, LOCAL_HOST), new Set(['origin']));
}

/** A client that let itself in by the address must be able to follow the addresses it is told. */
function publicDevtools(exchange: Exchange, admission: Admission): Parameters<typeof rewriteDiscovery>[1] {
  return {
    scheme: publicScheme(exchange) === 'https' ? 'wss' : 'ws',
    place: `${publicHost(exchange)}${publicPrefix(exchange)}${PREFIX}`,
    query: queryWith(exchange.target.query, admission),
  };
}

import { EventLog, isLoss } from '../../../core/event-log.ts';
import type { CdpSession } from '../cdp/cdp-session.ts';
import type { Protocol } from '../cdp/cdp-types.ts';
import { ExchangeStore } from './exchange-store.ts';
import { cut, type LoggedRequest, shortUrl } from './logged-request.ts';

/** Requests that are kept, of all tabs. */
export const REQUESTS_KEPT = 5000;
const BYTES_KEPT = 8 * 1024 ** 2;
/** Unanswered requests that are remembered; the oldest are forgotten. */
const OPEN_MAX = 10_000;

export interface RequestFilter {
  /** Part of the URL. */
  readonly filter?: string | undefined;
  readonly tabId?: string | undefined;
  readonly limit: number;
}

/** An open request and when it began, in the clock of the browser. */
interface Open {
  readonly request: LoggedRequest;
  readonly beganAt: number;
}

/** The newest requests of all tabs, oldest first. */
export class RequestLog {
  readonly #log = new EventLog<{ readonly request: LoggedRequest }>({
    entries: REQUESTS_KEPT,
    bytes: BYTES_KEPT,
    sizeOf: ({ request }) => request.url.length + 200,
  });
  readonly #open = new Map<string, Open>();
  readonly #exchanges = new ExchangeStore();
  #clearedAt = 0;

  /** The newest requests that match. */
  list({ filter, tabId, limit }: RequestFilter): LoggedRequest[] {
    const found = this.#log
      .after(Math.max(this.#clearedAt, this.#log.firstKept - 1), REQUESTS_KEPT)
      .flatMap((entry) => (isLoss(entry) ? [] : [entry.request]))
      .filter(({ url, tabId: of }) => (!filter || url.includes(filter)) && (!tabId || of === tabId));
    return limit === 0 ? [] : found.slice(-limit);
  }

  clear(): void {
    this.#clearedAt = this.#log.last;
  }

  /** Logs what a target requests, from now on. */
  follow(session: CdpSession, tabId: string): void {
    const keyOf = (requestId: string): string => `${tabId} ${requestId}`;
    session.on('Network.requestWillBeSent', (event) => this.#begin(keyOf(event.requestId), tabId, event));
    session.on('Network.responseReceived', ({ requestId, response }) => {
      const open = this.#open.get(keyOf(requestId));
      if (open) this.#answered(open, response);
    });
    session.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
      const exchange = this.#open.get(keyOf(requestId))?.request.exchange;
      if (exchange) exchange.receivedBytes = encodedDataLength;
      this.#end(keyOf(requestId), timestamp);
    });
    session.on('Network.loadingFailed', ({ requestId, timestamp, errorText, blockedReason }) => {
      const open = this.#open.get(keyOf(requestId));
      if (open) Object.assign(open.request, { failed: true, error: cut(blockedReason ?? errorText) });
      this.#end(keyOf(requestId), timestamp);
    });
  }

  /** A redirect has the id of the request that it answers. */
  #begin(key: string, tabId: string, event: Protocol.Network.RequestWillBeSentEvent): void {
    const { request, requestId, type = 'Other', timestamp, wallTime, redirectResponse } = event;
    const redirected = this.#open.get(key);
    if (redirected && redirectResponse) {
      this.#answered(redirected, redirectResponse);
      this.#end(key, timestamp);
    }
    const logged: LoggedRequest = {
      id: cut(requestId),
      tabId,
      url: shortUrl(request.url),
      method: cut(request.method),
      type: cut(type.toLowerCase()),
      startedAt: new Date(wallTime * 1000),
      status: null,
      mimeType: null,
      durationMs: null,
      failed: false,
      error: null,
    };
    this.#exchanges.begin(logged, request.headers);
    this.#log.add([{ request: logged }]);
    this.#open.set(key, { request: logged, beganAt: timestamp });
    const oldest = this.#open.size > OPEN_MAX ? this.#open.keys().next().value : undefined;
    if (oldest !== undefined) this.#open.delete(oldest);
  }

  #answered({ request, beganAt }: Open, response: Protocol.Network.Response): void {
    const { status, mimeType, timing } = response;
    request.status = status;
    request.mimeType = cut(mimeType);
    const waitMs = timing && Math.max((timing.requestTime - beganAt) * 1000 + timing.receiveHeadersEnd, 0);
    this.#exchanges.answer(request, response, waitMs);
  }

  #end(key: string, timestamp: number): void {
    const open = this.#open.get(key);
    if (open) open.request.durationMs = Math.max(Math.round((timestamp - open.beganAt) * 1000), 0);
    this.#open.delete(key);
  }

  /** The tab is gone: what it still waited for has no end. */
  forget(tabId: string): void {
    for (const [key, { request }] of this.#open) {
      if (request.tabId === tabId) this.#open.delete(key);
    }
  }
}

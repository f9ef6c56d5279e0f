import type { Protocol } from '../cdp/cdp-types.ts';
import { cut, type LoggedRequest } from './logged-request.ts';

/** Characters of headers that are kept, of all requests; the oldest are forgotten. */
const KEPT = 8 * 1024 ** 2;
/** Headers of one message, and characters of a value. */
const HEADERS_MAX = 100;
const VALUE_MAX = 4096;

type Headers = Readonly<Record<string, string>>;

/** Headers and times of the newest requests, within a bound of memory. */
export class ExchangeStore {
  readonly #kept = new Map<LoggedRequest, number>();
  #size = 0;

  begin(request: LoggedRequest, headers: Protocol.Network.Headers): void {
    const requestHeaders = bounded(headers);
    request.exchange = {
      requestHeaders,
      responseHeaders: {},
      statusText: '',
      protocol: '',
      receivedBytes: -1,
      waitMs: undefined,
    };
    this.#grow(request, sizeOf(requestHeaders));
  }

  answer(request: LoggedRequest, response: Protocol.Network.Response, waitMs: number | undefined): void {
    const { exchange } = request;
    if (exchange === undefined) return;
    exchange.responseHeaders = bounded(response.headers);
    exchange.statusText = cut(response.statusText ?? '');
    exchange.protocol = cut(response.protocol ?? '');
    exchange.waitMs = waitMs;
    this.#grow(request, sizeOf(exchange.responseHeaders));
  }

  #grow(request: LoggedRequest, size: number): void {
    this.#kept.set(request, (this.#kept.get(request) ?? 0) + size);
    this.#size += size;
    for (const [oldest, held] of this.#kept) {
      if (this.#size <= KEPT) break;
      oldest.exchange = undefined;
      this.#kept.delete(oldest);
      this.#size -= held;
    }
  }
}

function bounded(headers: Protocol.Network.Headers | undefined): Headers {
  const entries = Object.entries(headers ?? {}).slice(0, HEADERS_MAX);
  return Object.fromEntries(entries.map(([name, value]) => [cut(name), cut(String(value), VALUE_MAX)]));
}

function sizeOf(headers: Headers): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 200);
}

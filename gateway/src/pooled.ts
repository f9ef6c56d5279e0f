import process from 'node:process';
import type { Dispatcher } from 'undici';
import type { Exchange } from './exchange.ts';
import { answeredHeaders, forwardedHeaders } from './headers.ts';
import { rawHeadersOf, type Upstream } from './upstream.ts';

/** One request on a pooled connection, and its answer on the way to the client: at most one chunk ahead of it. */
export class PooledAnswer implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  readonly #fail: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #gone = false;
  #ended = false;
  #wrote = false;
  #drains = false;

  /** @param fail called once where there is no answer or its end does not come, unless the client went first. */
  constructor(exchange: Exchange, fail: (error: Error) => void) {
    this.#exchange = exchange;
    this.#fail = fail;
  }

  begin(upstream: Upstream, body: Buffer | null): void {
    const { req, res, target } = this.#exchange;
    res.on('close', this.#onClose);
    const headers = forwardedHeaders(this.#exchange, upstream.authority);
    upstream.pool.dispatch({ path: target.raw, method: req.method ?? 'GET', headers, body, reset: false }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#gone) this.#abort();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _parsed: unknown,
    statusText?: string,
  ): void {
    if (status < 200) return;
    const { res, requestId } = this.#exchange;
    res.writeHead(status, statusText, answeredHeaders(rawHeadersOf(controller), requestId));
    process.nextTick(this.#flushHead);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#wrote = true;
    if (this.#exchange.res.write(chunk)) return;
    controller.pause();
    if (this.#drains) return;
    this.#drains = true;
    this.#exchange.res.on('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#ended = true;
    this.#exchange.res.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#gone) return;
    this.#exchange.res.off('close', this.#onClose);
    this.#fail(error);
  }

  /** The head goes at once where the body does not come with it: a stream of events begins with it. */
  readonly #flushHead = (): void => {
    if (!this.#wrote && !this.#ended) this.#exchange.res.flushHeaders();
  };

  readonly #onClose = (): void => {
    if (this.#ended) return;
    this.#gone = true;
    this.#abort();
  };

  #abort(): void {
    this.#controller?.abort(new Error('the client went away'));
  }
}

import process from 'node:process';
import type { Exchange } from '../exchange/exchange.ts';
import { daemonResponseHeaders, requestHeaders } from '../exchange/headers.ts';
import type { DaemonConnection, ResponseReader } from './daemon-connection.ts';
import type { DaemonUpstream } from './daemon-upstream.ts';
import type { ResponseHead } from './response-head.ts';

/** Sends one request on a pooled connection and relays the response to the client. */
export class PooledResponse implements ResponseReader {
  readonly #exchange: Exchange;
  readonly #fail: (error: Error) => void;
  #connection: DaemonConnection | undefined;
  #clientGone = false;
  #ended = false;
  #wrote = false;

  /** @param fail called at most once, if the response is missing or incomplete and the client is still connected */
  constructor(exchange: Exchange, fail: (error: Error) => void) {
    this.#exchange = exchange;
    this.#fail = fail;
  }

  begin(upstream: DaemonUpstream, body: Buffer | null): void {
    const { req, res, target } = this.#exchange;
    const headers = requestHeaders(this.#exchange, upstream.authority);
    const request = { method: req.method ?? 'GET', path: target.raw, headers, body };
    let connection: DaemonConnection;
    try {
      connection = upstream.connections.send(request, this);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#connection = connection;
    res.on('close', this.#onClose);
  }

  onHead({ status, reason, fields }: ResponseHead): void {
    const { res } = this.#exchange;
    res.writeHead(status, reason, daemonResponseHeaders(fields, this.#exchange));
    res.on('drain', () => this.#connection?.resume());
    process.nextTick(this.#flushHead);
  }

  onBody(bytes: Buffer, release: (() => void) | undefined): boolean {
    this.#wrote = true;
    return this.#exchange.res.write(bytes, release);
  }

  onEnd(): void {
    this.#ended = true;
    this.#exchange.res.end();
  }

  onError(error: Error): void {
    if (this.#clientGone) return;
    this.#exchange.res.off('close', this.#onClose);
    this.#fail(error);
  }

  /** Sends the head at once if no body came with it: a client of an event stream waits for it. */
  readonly #flushHead = (): void => {
    if (!this.#wrote && !this.#ended) this.#exchange.res.flushHeaders();
  };

  readonly #onClose = (): void => {
    this.#clientGone = true;
    this.#connection?.abandon(this);
  };
}

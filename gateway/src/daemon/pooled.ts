import process from 'node:process';
import type { Exchange } from '../exchange/exchange.ts';
import { answeredHeaders, forwardedHeaders } from '../exchange/headers.ts';
import type { AnswerHead } from './answer-head.ts';
import type { AnswerReader, DaemonConnection } from './daemon-connection.ts';
import type { Upstream } from './upstream.ts';

/** One request on a kept connection, and its answer on the way to the client: a piece or two ahead of it. */
export class PooledAnswer implements AnswerReader {
  readonly #exchange: Exchange;
  readonly #fail: (error: Error) => void;
  #connection: DaemonConnection | undefined;
  #gone = false;
  #ended = false;
  #wrote = false;

  /** @param fail called once where there is no answer or its end does not come, unless the client went first. */
  constructor(exchange: Exchange, fail: (error: Error) => void) {
    this.#exchange = exchange;
    this.#fail = fail;
  }

  begin(upstream: Upstream, body: Buffer | null): void {
    const { req, res, target } = this.#exchange;
    const headers = forwardedHeaders(this.#exchange, upstream.authority);
    const question = { method: req.method ?? 'GET', path: target.raw, headers, body };
    let connection: DaemonConnection;
    try {
      connection = upstream.connections.ask(question, this);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#connection = connection;
    res.on('close', this.#onClose);
  }

  onHead({ status, reason, fields }: AnswerHead): void {
    const { res, requestId } = this.#exchange;
    res.writeHead(status, reason, answeredHeaders(fields, requestId));
    res.on('drain', () => this.#connection?.resume());
    process.nextTick(this.#flushHead);
  }

  onBody(bytes: Buffer, taken: (() => void) | undefined): boolean {
    this.#wrote = true;
    return this.#exchange.res.write(bytes, taken);
  }

  onEnd(): void {
    this.#ended = true;
    this.#exchange.res.end();
  }

  onError(error: Error): void {
    if (this.#gone) return;
    this.#exchange.res.off('close', this.#onClose);
    this.#fail(error);
  }

  /** The head goes at once where the body does not come with it: a stream of events begins with it. */
  readonly #flushHead = (): void => {
    if (!this.#wrote && !this.#ended) this.#exchange.res.flushHeaders();
  };

  readonly #onClose = (): void => {
    this.#gone = true;
    this.#connection?.abandon(this);
  };
}

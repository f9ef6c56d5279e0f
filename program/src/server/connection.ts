import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endGently } from '../close-when-read.ts';
import { ignore } from '../ignore.ts';
import { requestIdOf } from '../request-id.ts';
import { contentOf, type Refusal, rawAnswer, UNKNOWN_CODING } from './refusals.ts';
import type { Turns } from './turns.ts';

/** Requests of one connection that are worked on at once; later ones of the same read wait. */
export const PIPELINED_MAX = 16;

/** Listeners of one event of a response: the service, the framework and a paced body add a dozen, whatever the request. */
const LISTENERS_MAX = 32;

interface Pending {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly work: () => void;
}

/** One client connection: the order and the number of its requests, and how it ends. */
export class Connection {
  readonly #socket: Socket;
  readonly #halfOpenMs: number;
  /** Responses that are not complete, in their order; the first one is being sent. */
  readonly #unfinished: ServerResponse[] = [];
  readonly #waiting: Pending[] = [];
  #working = 0;
  #last: Pick<Pending, 'req' | 'res'> | undefined;
  #refused = false;
  #isUpgraded = false;

  readonly #turns: Turns;
  #awaitsTurn = false;

  constructor(socket: Socket, halfOpenMs: number, turns: Turns) {
    this.#socket = socket;
    this.#turns = turns;
    this.#halfOpenMs = halfOpenMs;
    // node:http resumes the socket whenever a request or a response is complete.
    socket.on('resume', () => {
      if (this.#waiting.length > 0) socket.pause();
    });
    socket.on('end', () => this.#limitHalfOpen());
    socket.once('close', () => this.#onClose());
  }

  /** Whether a response is incomplete. */
  get isBusy(): boolean {
    return this.#unfinished.length > 0;
  }

  /** Whether the connection waits for a request head, and every answer has left this process. */
  get isIdle(): boolean {
    return !this.isBusy && !this.#isUpgraded && this.#socket.writableLength === 0;
  }

  get hasHadRequest(): boolean {
    return this.#last !== undefined;
  }

  /** The connection speaks another protocol from now on. */
  upgraded(): void {
    this.#isUpgraded = true;
  }

  /**
   * Handles a request in its turn; a request after a response that closes the connection is dropped.
   * @param refusal the answer to it, if it is not handled
   */
  take(pending: Pending, refusal?: Refusal): void {
    if (this.#refused || this.#last?.res.shouldKeepAlive === false) return;
    const { res } = pending;
    this.#last = pending;
    this.#unfinished.push(res);
    res.setMaxListeners(LISTENERS_MAX);
    res.once('close', () => this.#finished(res));
    const answer = refusal ?? (hasKnownCoding(pending.req) ? undefined : UNKNOWN_CODING);
    const accepted = answer === undefined ? pending : { ...pending, work: () => this.#answer(pending, answer) };
    if (this.#working === 0 && this.#waiting.length === 0) {
      this.#begin(accepted);
    } else {
      this.#waiting.push(accepted);
      this.#socket.pause();
      this.#awaitTurn();
    }
  }

  /** Answers after the responses in progress; nothing further is read as a request. */
  refuse(refusal: Refusal): void {
    if (this.#refused) return;
    this.#refused = true;
    const last = this.#last;
    if (last === undefined || !this.isBusy) this.#send(refusal);
    else if (!last.req.complete && !last.res.headersSent) this.#answer(last, refusal);
    else this.#sendAfter(last.res, refusal);
  }

  /** As `refuse`, for a connection that the HTTP server has detached from its parser. */
  refuseDetached(refusal: Refusal): void {
    this.#socket.on('error', ignore);
    this.#socket.on('drain', () => this.#unfinished[0]?.emit('drain'));
    this.refuse(refusal);
  }

  #begin({ res, work }: Pending): void {
    this.#working += 1;
    res.once('close', () => {
      this.#working -= 1;
      this.#awaitTurn();
    });
    work();
  }

  #awaitTurn(): void {
    if (this.#awaitsTurn || this.#waiting.length === 0 || this.#working >= PIPELINED_MAX) return;
    this.#awaitsTurn = true;
    this.#turns.wait(() => {
      this.#awaitsTurn = false;
      this.#beginWaiting();
    });
  }

  #beginWaiting(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    // An answered one is a refused one.
    if (!next.res.headersSent) this.#begin(next);
    if (this.#waiting.length === 0) this.#socket.resume();
    else this.#awaitTurn();
  }

  #finished(res: ServerResponse): void {
    const at = this.#unfinished.indexOf(res);
    if (at >= 0) this.#unfinished.splice(at, 1);
  }

  /** Answers the request whose body is malformed, in its place among the responses. */
  #answer({ req, res }: Pick<Pending, 'req' | 'res'>, refusal: Refusal): void {
    const { fields, body } = contentOf(refusal, requestIdOf(req.headers['x-request-id']));
    res.shouldKeepAlive = false;
    // Closing both halves with unread bytes would reset the connection and lose the answer.
    this.#socket.destroySoon = () => endGently(this.#socket);
    res.writeHead(Number.parseInt(refusal.status, 10), refusal.status.slice(4), fields).end(body);
  }

  #sendAfter(res: ServerResponse, refusal: Refusal): void {
    this.#socket.destroySoon = () => endGently(this.#socket);
    res.once('close', () => this.#send(refusal));
  }

  #send(refusal: Refusal): void {
    if (this.#socket.destroyed || !this.#socket.writable || this.#last?.res.shouldKeepAlive === false) return;
    this.#socket.write(rawAnswer(refusal));
    endGently(this.#socket);
  }

  /**
   * A client that has closed looks like one that has only ended its half, until a write fails. While an answer takes its
   * time, an interim response (RFC 9110 §15.2) finds out; HTTP/1.0 has none.
   */
  #limitHalfOpen(): void {
    if (this.#isUpgraded) return;
    const timer = setInterval(() => {
      const [first] = this.#unfinished;
      const canAsk = first !== undefined && !first.headersSent && first.req.httpVersion !== '1.0';
      if (canAsk) first.writeProcessing();
      else this.#socket.destroy();
    }, this.#halfOpenMs);
    this.#socket.once('close', () => clearInterval(timer));
  }

  /** A request that was answered before the end of its body hears of the end here alone. */
  #onClose(): void {
    this.#waiting.length = 0;
    const req = this.#last?.req;
    if (req !== undefined && !req.complete) req.destroy();
  }
}

/** Whether the server can decode the body (RFC 9112 §6.1). */
function hasKnownCoding({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding === undefined || coding.trim().toLowerCase() === 'chunked';
}

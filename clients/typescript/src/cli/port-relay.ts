import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { failureOf } from '../core/errors.ts';

/** The message after which a side sends no more bytes (docs/ports.md). */
const EOF = '{"type":"eof"}';
/** RFC 6455 §7.4.1. */
const NORMAL = 1000;
/** Pings without an answer after which the service counts as gone. */
const MISSED = 2;
/** Bytes and milliseconds for the reason of a refusal. */
const REASON_BYTES = 64 * 1024;
const REASON_MS = 5000;

interface RelayOptions {
  readonly webSocketUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Prints what the local program cannot see. */
  readonly report: (reason: string) => void;
  readonly handshakeMs?: number;
  readonly pingMs?: number;
}

/**
 * Passes the bytes of a local connection and the end of each direction to a port of the sandbox and back. A side that
 * does not read stops the other. If the connection is cut, the local one is reset, so that its program does not take
 * the bytes before for all.
 */
export class PortRelay {
  readonly #socket: Socket;
  readonly #remote: WebSocket;
  readonly #report: (reason: string) => void;
  #hasEnded = false;
  #unanswered = 0;

  /** @param socket paused, with half-close allowed */
  constructor(socket: Socket, { webSocketUrl, headers, report, handshakeMs = 30_000, pingMs = 20_000 }: RelayOptions) {
    this.#socket = socket;
    this.#report = report;
    // The service sends 64 KiB in a message.
    const limits = { perMessageDeflate: false, handshakeTimeout: handshakeMs, maxPayload: 1024 * 1024 };
    const remote = new WebSocket(webSocketUrl, { headers, ...limits });
    this.#remote = remote;
    socket.on('error', () => remote.terminate()).on('close', () => remote.close());
    const pings = setInterval(() => this.#ping(), pingMs);
    remote.on('open', () => void this.#send());
    remote.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary));
    remote.on('pong', () => {
      this.#unanswered = 0;
    });
    remote.on('unexpected-response', (_request, response) => {
      void refusalOf(response).then((reason) => this.#cut(reason));
    });
    remote.on('error', ({ message }) => this.#cut(message));
    remote.on('close', (code, reason) => {
      clearInterval(pings);
      if (this.#hasEnded && code === NORMAL) socket.destroySoon();
      else this.#cut(code === NORMAL ? undefined : `the service closed the connection: ${code} ${reason}`.trimEnd());
    });
  }

  async #send(): Promise<void> {
    try {
      for await (const chunk of this.#socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        await new Promise<void>((resolve, reject) => {
          this.#remote.send(chunk, { binary: true }, (error) => (error ? reject(error) : resolve()));
        });
      }
      this.#remote.send(EOF, { binary: false });
    } catch {
      // One of both was cut; its close event ends the other.
    }
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const isEnd = !isBinary && data.toString() === EOF;
    if (this.#hasEnded || !(isBinary || isEnd)) this.#cut('the service sent what is not of the connection');
    else if (isEnd) {
      this.#hasEnded = true;
      this.#socket.end();
    } else if (!this.#socket.write(data) && !this.#remote.isPaused) {
      this.#remote.pause();
      this.#socket.once('drain', () => this.#remote.resume());
    }
  }

  /** A pong waits behind bytes that the local program does not read. */
  #ping(): void {
    if (this.#remote.isPaused) this.#unanswered = 0;
    if (this.#remote.isPaused || this.#remote.readyState !== WebSocket.OPEN) return;
    if (this.#unanswered >= MISSED) this.#cut('the service answers no more');
    else this.#remote.ping();
    this.#unanswered += 1;
  }

  /** Without a reason the program in the sandbox has reset the connection. */
  #cut(reason: string | undefined): void {
    if (!this.#socket.destroyed && reason !== undefined) this.#report(reason);
    this.#socket.resetAndDestroy();
    this.#remote.terminate();
  }
}

/** What a service says that does not accept the WebSocket. */
async function refusalOf(response: IncomingMessage): Promise<string> {
  const signal = AbortSignal.timeout(REASON_MS);
  const chunks: Buffer[] = [];
  let length = 0;
  response
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > REASON_BYTES) response.destroy();
    });
  await once(response, 'close', { signal }).catch(() => response.destroy());
  const { message, hint } = failureOf({
    status: response.statusCode ?? 0,
    header: (name) => response.headers[name]?.toString() ?? null,
    text: Buffer.concat(chunks).toString(),
    request: 'the connection',
  });
  return hint === null ? message : `${message}: ${hint}`;
}

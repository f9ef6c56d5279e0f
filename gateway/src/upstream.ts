import type { Agent } from 'node:http';
import { isIPv6 } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
// The package's index also loads fetch, WebSocket and caches: 13 MB that nothing here uses.
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Exchange } from './exchange.ts';
import { answeredHeaders, forwardedHeaders, latin1Headers } from './headers.ts';
import type { Passage } from './passage.ts';
import { UploadAgent } from './upload-agent.ts';
import { WideSocket } from './wide-socket.ts';

/** How long a short answer of the daemon to the gateway itself may take, in milliseconds. */
const SHORT_ANSWER_MS = 10_000;
/** How long a kept connection is silent before it is probed, in milliseconds. */
const KEEP_ALIVE_MS = 60_000;
const SHORT_ANSWER_MAX_BYTES = 64 * 1024;

interface ShortAnswer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** The daemon: the one address this process ever sends API requests to. */
export class Upstream implements AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly authority: string;
  /**
   * Connections for requests whose body is at hand. Without a ceiling: a stream keeps its connection for as
   * long as it likes, and no other request may wait for it.
   */
  readonly pool: Pool;
  /** Connections for requests whose body is still coming. */
  readonly agent: UploadAgent;
  /** Connections that are none of those that are kept, which the daemon may just have closed. */
  readonly freshAgent: UploadAgent;

  constructor(host: string, port: number) {
    this.host = host;
    this.port = port;
    this.authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
    this.pool = new Pool(`http://${this.authority}`, {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => connectWide({ host, port }, callback),
    });
    this.agent = new UploadAgent({ keepAlive: true, maxFreeSockets: 64 });
    this.freshAgent = new UploadAgent({ keepAlive: false });
  }

  /**
   * GET of a short answer for the gateway's own use, read whole; repeated once where a pooled connection had gone.
   * @throws the client's error where the daemon does not answer within 10 s or with more than 64 KiB.
   */
  async ask(path: string, headers: string[]): Promise<ShortAnswer> {
    try {
      return await this.#askOnce(path, headers);
    } catch (error) {
      if (!isLostConnection(error)) throw error;
      return this.#askOnce(path, headers);
    }
  }

  #askOnce(path: string, headers: string[]): Promise<ShortAnswer> {
    return new Promise((resolve, reject) => {
      let status = 0;
      let raw: readonly string[] = [];
      const chunks: Buffer[] = [];
      let size = 0;
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {},
        onResponseStart(controller, statusCode) {
          status = statusCode;
          raw = rawHeadersOf(controller);
        },
        onResponseData(controller, chunk) {
          size += chunk.length;
          if (size > SHORT_ANSWER_MAX_BYTES) controller.abort(new Error('the answer is too long'));
          else chunks.push(chunk);
        },
        onResponseEnd: () => resolve({ status, headers: raw, body: Buffer.concat(chunks) }),
        onResponseError: (_controller, error) => reject(error),
      };
      const timeouts = { headersTimeout: SHORT_ANSWER_MS, bodyTimeout: SHORT_ANSWER_MS };
      this.pool.dispatch({ path, method: 'GET', headers, ...timeouts }, handler);
    });
  }

  /** @param agent other connections than those that are kept. */
  passage(exchange: Exchange, { agent = this.agent }: { readonly agent?: Agent } = {}): Passage {
    return {
      service: 'the daemon',
      to: { host: this.host, port: this.port },
      agent,
      path: exchange.target.raw,
      headers: forwardedHeaders(exchange, this.authority),
      answered: (raw) => answeredHeaders(raw, exchange.requestId),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.agent.destroy();
    this.freshAgent.destroy();
    await this.pool.destroy();
  }
}

function connectWide(to: { host: string; port: number }, callback: buildConnector.Callback): void {
  const socket = new WideSocket();
  const tooLate = Object.assign(new Error('the daemon takes no connection'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
  const late = setTimeout(() => socket.destroy(tooLate), SHORT_ANSWER_MS);
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
  socket.once('error', (error) => callback(error, null));
  socket.once('close', () => clearTimeout(late));
  socket.connect(to, () => {
    clearTimeout(late);
    socket.removeAllListeners('error');
    callback(null, socket);
  });
}

export function rawHeadersOf({ rawHeaders }: Dispatcher.DispatchController): string[] {
  return Array.isArray(rawHeaders) ? latin1Headers(rawHeaders) : [];
}

const LOST = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const UNREACHED = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EMFILE',
  'EACCES',
  'EPERM',
  'ENOTSOCK',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
]);
const UNSENDABLE = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'ERR_INVALID_CHAR',
  'ERR_UNESCAPED_CHARACTERS',
]);

/** The connection ended before an answer; what it carried may have arrived. */
export function isLostConnection(error: unknown): boolean {
  return LOST.has(codeOf(error));
}

/** No byte of the request reached the upstream. */
export function neverArrived(error: unknown): boolean {
  // Where several addresses were tried, each has its own error.
  const errors = error instanceof AggregateError ? error.errors : [error];
  return errors.every((one) => UNREACHED.has(codeOf(one)));
}

/** The request cannot be written as HTTP/1.1. */
export function isUnsendable(error: unknown): boolean {
  return UNSENDABLE.has(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

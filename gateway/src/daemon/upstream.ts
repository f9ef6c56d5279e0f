import type { Agent } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Exchange } from '../exchange/exchange.ts';
import { answeredHeaders, type FlatHeaders, forwardedHeaders } from '../exchange/headers.ts';
import { UploadAgent } from '../net/upload-agent.ts';
import type { ProxyTarget } from '../relay/proxy-target.ts';
import type { AnswerHead } from './answer-head.ts';
import { DaemonConnections } from './daemon-connections.ts';

/** How long a short answer of the daemon to the gateway itself may take, in milliseconds. */
const SHORT_ANSWER_MS = 10_000;
const SHORT_ANSWER_MAX_BYTES = 64 * 1024;

interface SmallResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** The daemon: the one address this process ever sends API requests to. */
export class Upstream implements AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly authority: string;
  readonly connections: DaemonConnections;
  /** Connections for requests whose body is still coming. */
  readonly agent: UploadAgent;
  /** Connections that are none of those that are kept, which the daemon may just have closed. */
  readonly freshAgent: UploadAgent;

  constructor(host: string, port: number) {
    this.host = host;
    this.port = port;
    this.authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
    this.connections = new DaemonConnections({ host, port });
    this.agent = new UploadAgent({ keepAlive: true, maxFreeSockets: 64 });
    this.freshAgent = new UploadAgent({ keepAlive: false });
  }

  /**
   * GET of a short answer for the gateway's own use, read whole; repeated once where a pooled connection had gone.
   * @throws the client's error where the daemon does not answer within 10 s or with more than 64 KiB.
   */
  async ask(path: string, headers: FlatHeaders): Promise<SmallResponse> {
    try {
      return await this.#askOnce(path, headers);
    } catch (error) {
      if (!isLostConnection(error)) throw error;
      return this.#askOnce(path, headers);
    }
  }

  #askOnce(path: string, headers: FlatHeaders): Promise<SmallResponse> {
    return new Promise((resolve, reject) => {
      let head: AnswerHead | undefined;
      const chunks: Buffer[] = [];
      let size = 0;
      const connection = this.connections.ask(
        { method: 'GET', path, headers, body: null },
        {
          onHead: (came) => {
            head = came;
          },
          onBody: (bytes, taken) => {
            size += bytes.length;
            if (size > SHORT_ANSWER_MAX_BYTES) throw new RangeError('the answer is too long');
            chunks.push(Buffer.from(bytes));
            taken?.();
            return true;
          },
          onEnd: () => {
            clearTimeout(late);
            resolve({ status: head?.status ?? 0, headers: head?.fields ?? [], body: Buffer.concat(chunks) });
          },
          onError: (error) => {
            clearTimeout(late);
            reject(error);
          },
        },
      );
      const late = setTimeout(() => connection.destroy(new Error('the daemon does not answer')), SHORT_ANSWER_MS);
    });
  }

  /** @param agent other connections than those that are kept. */
  proxyTarget(exchange: Exchange, { agent = this.agent }: { readonly agent?: Agent } = {}): ProxyTarget {
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
    this.connections[Symbol.dispose]();
  }
}

const LOST = new Set(['ECONNRESET', 'EPIPE']);
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
  'CONNECT_TIMEOUT',
]);
const UNSENDABLE = new Set(['ERR_INVALID_CHAR', 'ERR_UNESCAPED_CHARACTERS']);

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

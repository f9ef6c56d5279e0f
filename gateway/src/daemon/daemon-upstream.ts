import type { Agent } from 'node:http';
import { isIPv6 } from 'node:net';
import { CredentialUses } from '../access/credential-uses.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { daemonResponseHeaders, type FlatHeaders, requestHeaders } from '../exchange/headers.ts';
import { isLostConnection } from '../net/connection-errors.ts';
import { UploadAgent } from '../net/upload-agent.ts';
import type { SmallResponse } from '../relay/fetch-small.ts';
import type { ProxyTarget } from '../relay/proxy-target.ts';
import { DaemonConnections } from './daemon-connections.ts';
import type { ResponseHead } from './response-head.ts';

/** Timeout of the gateway's own requests, in milliseconds. */
const GET_TIMEOUT_MS = 10_000;
const GET_MAX_BYTES = 64 * 1024;
/** Bytes of the answer about credentials: a thousand keys, and tickets and cookies that were withdrawn. */
const CREDENTIALS_MAX_BYTES = 2 * 1024 ** 2;

/** The daemon as an upstream: the only address that receives API requests. */
export class DaemonUpstream implements AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly authority: string;
  readonly connections: DaemonConnections;
  /** Connections for requests with an incomplete body. */
  readonly agent: UploadAgent;
  /** New connections for a retry: the daemon may have closed every pooled one. */
  readonly freshAgent: UploadAgent;
  /** What is open by the daemon's admission. */
  readonly uses = new CredentialUses((after) => this.#validity(after));

  constructor(host: string, port: number) {
    this.host = host;
    this.port = port;
    this.authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
    this.connections = new DaemonConnections({ host, port });
    this.agent = new UploadAgent({ keepAlive: true, maxFreeSockets: 64 });
    this.freshAgent = new UploadAgent({ keepAlive: false });
  }

  /**
   * GET for the gateway's own use, with the complete response; retried once if a pooled connection was lost.
   * @throws the connection's error, also after 10 s or for a longer body
   */
  async get(path: string, headers: FlatHeaders, maxBytes: number = GET_MAX_BYTES): Promise<SmallResponse> {
    try {
      return await this.#getOnce(path, headers, maxBytes);
    } catch (error) {
      if (!isLostConnection(error)) throw error;
      return this.#getOnce(path, headers, maxBytes);
    }
  }

  async #validity(after: string | undefined): Promise<unknown> {
    const query = after === undefined ? '' : `?after=${after}`;
    const path = `/internal/credentials${query}`;
    const { status, body } = await this.get(path, ['Host', this.authority], CREDENTIALS_MAX_BYTES);
    if (status !== 200) throw new Error(`the daemon answered ${status}`);
    return JSON.parse(body.toString());
  }

  #getOnce(path: string, headers: FlatHeaders, maxBytes: number): Promise<SmallResponse> {
    return new Promise((resolve, reject) => {
      let head: ResponseHead | undefined;
      const chunks: Buffer[] = [];
      let size = 0;
      const connection = this.connections.send(
        { method: 'GET', path, headers, body: null },
        {
          onHead: (received) => {
            head = received;
          },
          onBody: (bytes, release) => {
            size += bytes.length;
            if (size > maxBytes) throw new RangeError(`response longer than ${maxBytes} bytes`);
            chunks.push(Buffer.from(bytes));
            release?.();
            return true;
          },
          onEnd: () => {
            clearTimeout(timeout);
            resolve({ status: head?.status ?? 0, headers: head?.fields ?? [], body: Buffer.concat(chunks) });
          },
          onError: (error) => {
            clearTimeout(timeout);
            reject(error);
          },
        },
      );
      const timeout = setTimeout(() => connection.destroy(new Error('the daemon did not respond')), GET_TIMEOUT_MS);
    });
  }

  /** @param agent connections to use, by default those for streamed bodies */
  proxyTarget(exchange: Exchange, { agent = this.agent }: { readonly agent?: Agent } = {}): ProxyTarget {
    return {
      service: 'the daemon',
      restarts: true,
      to: { host: this.host, port: this.port },
      agent,
      path: exchange.target.raw,
      headers: requestHeaders(exchange, this.authority),
      responseHeaders: (raw) => daemonResponseHeaders(raw, exchange),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.uses[Symbol.dispose]();
    this.agent.destroy();
    this.freshAgent.destroy();
    this.connections[Symbol.dispose]();
  }
}

import { Agent, type ClientRequest, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { socksConnect } from './socks.ts';

/** Milliseconds to reach a host through a proxy. */
const CONNECT_MS = 30_000;

/** A request of a client for a resource, by its absolute address. */
interface ForwardedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
}

/** A proxy that wants a user and a password. */
export interface Upstream {
  /** Opens a connection to `host:port` behind the proxy. @throws Error if the proxy refuses */
  tunnel(authority: string): Promise<{ readonly socket: Duplex; readonly head: Buffer }>;
  /** Begins a request; the caller sends its body and gets the answer. */
  request(forwarded: ForwardedRequest): ClientRequest;
}

/**
 * @param server an http, https or socks5 URL with credentials, percent-encoded as in every URL
 * @param ms milliseconds that the proxy has for a connection, and for its answer to a tunnel; a site may take any time
 */
export function upstreamOf(server: URL, ms = CONNECT_MS): Upstream {
  const [user, password] = [decodeURIComponent(server.username), decodeURIComponent(server.password)];
  if (server.protocol.startsWith('socks5')) return socksUpstream(server, { user, password, ms });
  return httpUpstream(server, `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`, ms);
}

function httpUpstream(server: URL, authorization: string, ms: number): Upstream {
  const begin = server.protocol === 'https:' ? httpsRequest : httpRequest;
  const host = bareHost(server);
  const port = Number(server.port) || (server.protocol === 'https:' ? 443 : 80);
  const credentials = { 'Proxy-Authorization': authorization };
  return {
    tunnel: (authority) =>
      new Promise((resolve, reject) => {
        const headers = { Host: authority, ...credentials };
        const asked = begin({ host, port, method: 'CONNECT', path: authority, headers, agent: false });
        const timer = setTimeout(() => asked.destroy(new Error('the proxy did not answer')), ms);
        asked.once('close', () => clearTimeout(timer));
        asked.on('error', reject);
        asked.once('response', (response) => {
          asked.destroy();
          reject(new Error(`the proxy answered ${response.statusCode}`));
        });
        asked.once('connect', (response, socket, head) => {
          clearTimeout(timer);
          if (response.statusCode === 200) return resolve({ socket, head });
          socket.destroy();
          reject(new Error(`the proxy answered ${response.statusCode}`));
        });
        asked.end();
      }),
    request: ({ method, url, headers }) => {
      const asked = begin({
        host,
        port,
        method,
        path: url.href,
        headers: { ...headers, ...credentials },
        setHost: false,
        agent: false,
      });
      const timer = setTimeout(() => asked.destroy(new Error('the proxy did not answer')), ms);
      asked.once('socket', (socket) => {
        socket.once(server.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(timer));
      });
      return asked.once('close', () => clearTimeout(timer));
    },
  };
}

interface SocksTerms {
  readonly user: string;
  readonly password: string;
  readonly ms: number;
}

function socksUpstream(server: URL, { user, password, ms }: SocksTerms): Upstream {
  const proxy = { host: bareHost(server), port: Number(server.port) || 1080, user, password };
  const open = (host: string, port: number) => socksConnect(proxy, { host, port }, ms);
  return {
    tunnel: async (authority) => {
      const url = new URL(`http://${authority}`);
      return { socket: await open(bareHost(url), Number(url.port) || 80), head: Buffer.alloc(0) };
    },
    request: ({ method, url, headers }) => {
      const agent = new Agent();
      agent.createConnection = (_options, done) => {
        open(bareHost(url), Number(url.port) || 80).then(
          (socket) => done?.(null, socket),
          (error: Error) => done?.(error, undefined as never),
        );
        return undefined;
      };
      return httpRequest({ method, path: url.pathname + url.search, headers, setHost: false, agent });
    },
  };
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

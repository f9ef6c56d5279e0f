import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { BrowserAttack, DevToolsMessage } from './attack.ts';
import { UPSTREAMS } from './upstreams.ts';
import { WORKERS } from './workers.ts';

/** A request with the id `worker-N` gets the answer of that attack. */
export const WORKER_ID = 'worker-';

/** The browser, the worker and the MCP servers that the services are configured with; attacks say how they answer. */
export class HostileServers implements AsyncDisposable {
  readonly #browser: Server;
  readonly #upstream: Server;
  readonly #worker: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  #attack: BrowserAttack | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor() {
    this.#browser = createServer((req, res) => {
      const { host } = req.headers;
      if (this.#attack?.discovery !== undefined) send(req, this.#attack.discovery);
      else res.end(req.url === '/json/list' ? '[]' : JSON.stringify({ webSocketDebuggerUrl: `ws://${host}/x` }));
    });
    this.#browser.on('upgrade', (req, socket, head) =>
      this.#sockets.handleUpgrade(req, socket, head, (webSocket) => this.#serve(webSocket)),
    );
    this.#upstream = createServer((req) => void answerTool(req).catch(() => req.destroy()));
    this.#worker = createServer((req) => {
      const id = String(req.headers['x-request-id']);
      send(req, id.startsWith(WORKER_ID) ? (WORKERS[Number(id.slice(WORKER_ID.length))]?.answer ?? '') : '');
    });
  }

  static async start(): Promise<HostileServers> {
    const servers = new HostileServers();
    for (const server of servers.#all) {
      await once(server.listen(0, '127.0.0.1'), 'listening');
    }
    return servers;
  }

  /** Variables by which the services find them. */
  get env(): Record<string, string> {
    const { port } = this.#upstream.address() as AddressInfo;
    const servers = UPSTREAMS.map((_, at) => [`u${at}`, { url: `http://127.0.0.1:${port}/${at}`, prefix: `u${at}` }]);
    return {
      SVC_COMPUTER_USE_URL: `http://127.0.0.1:${(this.#worker.address() as AddressInfo).port}`,
      BROWSER_REMOTE_DEBUGGING_PORT: String((this.#browser.address() as AddressInfo).port),
      EXTRA_MCP_SERVERS: JSON.stringify(Object.fromEntries(servers)),
    };
  }

  /** Does the work while the browser answers as the attack says; there is one browser, so that attacks take turns. */
  asBrowser<T>(attack: BrowserAttack, work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(async () => {
      this.#attack = attack;
      this.#disconnect();
      return work().finally(() => {
        this.#attack = undefined;
        this.#disconnect();
      });
    });
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disconnect();
    for (const server of this.#all) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  get #all(): readonly Server[] {
    return [this.#browser, this.#upstream, this.#worker];
  }

  #disconnect(): void {
    for (const webSocket of this.#sockets.clients) webSocket.terminate();
  }

  #serve(webSocket: WebSocket): void {
    webSocket.on('error', () => {});
    webSocket.on('message', (data) => {
      const message = JSON.parse(String(data)) as DevToolsMessage;
      const texts = this.#attack?.reply?.(message) ?? [JSON.stringify({ id: message.id, result: {} })];
      for (const text of texts) webSocket.send(text);
    });
  }
}

/** Answers one message to the MCP server that the path names. */
async function answerTool(req: IncomingMessage): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece as Buffer);
  if (req.method !== 'POST') {
    send(req, 'HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    return;
  }
  const { id, method, params } = JSON.parse(Buffer.concat(pieces).toString()) as {
    id?: number;
    method: string;
    params?: { protocolVersion?: string };
  };
  const { call, list } = UPSTREAMS[Number(req.url?.slice(1))] ?? {};
  if (id === undefined) send(req, 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  else if (method === 'tools/call' && call) send(req, call(id));
  else if (method === 'tools/list' && list) send(req, list(id));
  else {
    const greeting = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} } };
    const result = method === 'initialize' ? { ...greeting, serverInfo: { name: 'u', version: '1' } } : { tools: [] };
    const body = JSON.stringify({ jsonrpc: '2.0', id, result });
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    send(req, `${head}Connection: close\r\n\r\n${body}`);
  }
}

/** Writes bytes as they stand, and closes. */
function send({ socket }: IncomingMessage, text: string): void {
  socket.on('error', () => {});
  socket.end(Buffer.from(text, 'latin1'));
}

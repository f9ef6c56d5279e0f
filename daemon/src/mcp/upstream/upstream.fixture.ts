import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Message {
  readonly id?: number | string;
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it sends.
  readonly params?: any;
}

export type Behaviour = (message: Message, res: ServerResponse) => Answer | undefined | Promise<Answer | undefined>;

/** A stateless MCP server, written without the SDK so that it can answer anything. */
export class OtherServer implements AsyncDisposable {
  readonly seen: Message[] = [];
  readonly #server: HttpServer;
  #behaviour: Behaviour;
  #port = 0;

  private constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
    this.#server = createServer((req, res) => void this.#answer(req, res));
  }

  static async start(behaviour: Behaviour): Promise<OtherServer> {
    const other = new OtherServer(behaviour);
    await other.listen();
    return other;
  }

  /** Listens, again where it was closed. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** One that has tools which answer with their name and their arguments. */
  static withTools(...names: string[]): Promise<OtherServer> {
    return OtherServer.start(({ method, params }) => {
      if (method === 'tools/list') return { result: { tools: names.map(toolNamed) } };
      if (method !== 'tools/call') return undefined;
      if (!names.includes(params.name)) return { error: { code: -32602, message: `Unknown tool: ${params.name}` } };
      return { result: { content: [{ type: 'text', text: `${params.name} ${JSON.stringify(params.arguments)}` }] } };
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  become(behaviour: Behaviour): void {
    this.#behaviour = behaviour;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'POST') {
      res.writeHead(405).end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    this.seen.push(message);
    const given = await this.#behaviour(message, res);
    if (res.headersSent || res.destroyed) return;
    if (message.id === undefined) {
      res.writeHead(202).end();
      return;
    }
    const answer = given ?? (message.method === 'initialize' ? { result: greeting(message) } : notFound(message));
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
  }
}

export function toolNamed(name: string): object {
  return { name, description: `does ${name}`, inputSchema: { type: 'object', properties: { a: { type: 'number' } } } };
}

function greeting({ params }: Message): object {
  return {
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'other', version: '1' },
  };
}

function notFound({ method }: Message): Answer {
  return { error: { code: -32601, message: `Method not found: ${method}` } };
}

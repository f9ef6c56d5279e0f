import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Milliseconds for one call of a tool. */
const CALL_MS = 60_000;

/** An MCP server that speaks on its standard streams, a JSON message a line. */
export class McpStdio implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (message: { error?: { message: string }; result?: unknown }) => void>();
  #lastId = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    if (!child.stdout) throw new Error('the server has no output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  /** Starts a server and initializes it. */
  static async start(program: string, args: readonly string[]): Promise<McpStdio> {
    const server = new McpStdio(spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'ignore'] }));
    const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
    await server.#request('initialize', client);
    server.#write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return server;
  }

  /** Calls a tool. @throws Error if the tool says that it failed */
  async call(name: string, args: object = {}): Promise<string> {
    const result = (await this.#request('tools/call', { name, arguments: args })) as {
      isError?: boolean;
      content: { text?: string }[];
    };
    const text = result.content.map((part) => part.text ?? '').join('\n');
    if (result.isError) throw new Error(`${name}: ${text.slice(0, 300)}`);
    return text;
  }

  async #request(method: string, params: object): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<{ error?: { message: string }; result?: unknown }>();
    const timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), CALL_MS);
    this.#waiting.set(id, resolve);
    this.#write({ jsonrpc: '2.0', id, method, params });
    const { error, result } = await promise.finally(() => clearTimeout(timer));
    if (error) throw new Error(error.message);
    return result;
  }

  #write(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }
}

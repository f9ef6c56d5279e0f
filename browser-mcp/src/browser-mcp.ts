import { tmpdir } from 'node:os';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import { Answers } from './answers.ts';
import { type BrowserAddress, BrowserConnection, watchBrowser } from './browser-connection.ts';
import type { BrowserMcpConfig } from './config.ts';
import { McpHttpServer } from './http-server.ts';
import { IdleTimer } from './idle-timer.ts';
import type { Message } from './json-rpc.ts';
import { pageTools } from './page-tools.ts';
import { SharedSession } from './shared-session.ts';

const MS = 1_000;

/** The page-level MCP server of the browser. It ends with the browser, after an idle time, and at a call that hangs. */
export class BrowserMcp implements AsyncDisposable {
  readonly port: number;
  readonly #resources: AsyncDisposableStack;

  private constructor(port: number, resources: AsyncDisposableStack) {
    this.port = port;
    this.#resources = resources;
  }

  /** @param end called when the server should end, with the reason */
  static async start(config: BrowserMcpConfig, logger: Logger, end: (why: string) => void): Promise<BrowserMcp> {
    await using resources = new AsyncDisposableStack();
    const browser: BrowserAddress = { host: config.browserHost, port: config.browserPort };
    const connection = new BrowserConnection(browser);
    const { outputDir, fileUrls } = config;
    const server = await pageTools({ outputDir, fileUrls }, () => connection.context());
    const answers = new Answers({ outputDir });
    const hungMs = config.hungTabSeconds * MS;
    const session = await SharedSession.open(server, {
      callMs: config.callSeconds * MS,
      onStuck: () => end('a call has exceeded its time'),
      ...(hungMs > 0 && { onWait: (since) => connection.crashHung(since, hungMs), waitMs: MS }),
    });
    const idle = resources.use(new IdleTimer(config.idleSeconds * MS, () => end('idle')));
    const http = resources.use(
      new McpHttpServer({
        ask: async (request) => answers.complete(await session.ask(request)),
        onRequest: () => idle.touch(),
        onError: (error) => logger.error({ err: error }, 'a request failed'),
      }),
    );
    const { listenFd: fd, port } = config;
    const listening = await http.listen(fd === undefined ? { port } : { fd });
    resources.use(watchBrowser(browser, () => end('the browser has ended')));
    return new BrowserMcp(listening, resources.move());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}

/** What `tools/list` returns: it depends on no browser, so that an image can keep it from its build on. */
export async function listTools(): Promise<unknown> {
  const server = await pageTools({ outputDir: tmpdir(), fileUrls: false }, () =>
    Promise.reject(new Error('no browser')),
  );
  const session = await SharedSession.open(server, { callMs: 60 * MS, onStuck: ignore });
  const { result } = (await session.ask({ jsonrpc: '2.0', id: 1, method: 'tools/list' })) as Message;
  return (result as { readonly tools: unknown }).tools;
}

import { ignore } from '@sandbox/program/ignore.ts';
import { createLogger } from '@sandbox/program/logger.ts';
import { BrowserMcp } from './browser-mcp.ts';
import { readConfig } from './config.ts';

interface Used {
  readonly text: string;
  readonly isError: boolean;
  readonly ms: number;
}

export interface Server extends AsyncDisposable {
  readonly port: number;
  use(name: string, args?: object): Promise<Used>;
}

/** The server for the browser at that port, with further arguments of its command line. */
export async function startedServer(
  browserPort: number,
  output: string,
  more: readonly string[] = [],
): Promise<Server> {
  const argv = ['--port', '0', '--browser-port', String(browserPort), '--output-dir', output, ...more];
  const server = await BrowserMcp.start(readConfig(argv, {}), createLogger('test', 'error'), ignore);
  return {
    port: server.port,
    use: async (name, args = {}) => {
      const began = performance.now();
      const answer = await fetch(`http://127.0.0.1:${server.port}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
      });
      const { result } = (await answer.json()) as { result: { content: { text?: string }[]; isError?: boolean } };
      const text = result.content.map((part) => part.text ?? '').join('\n');
      return { text, isError: result.isError === true, ms: performance.now() - began };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

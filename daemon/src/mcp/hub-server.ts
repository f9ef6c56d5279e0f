import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { VERSION } from '../core/version.ts';
import type { Hub } from './hub.ts';

const INSTRUCTIONS = `Tools of one sandbox: a Linux machine with commands, files, code and a browser.
Paths are absolute. Files, processes and the working directory of commands persist between calls.`;

/**
 * A server of the protocol that serves one exchange with the tools of the hub.
 * @param cancelled fires when the client has said that it cancels the call
 */
export function hubServer(hub: Hub, cancelled?: AbortSignal): Server {
  const server = new Server(
    { name: 'sandbox', title: 'Sandbox', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: await hub.list() }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const token = mcpReq._meta?.progressToken;
    let step = 0;
    const progress = (message: string): void => {
      if (token === undefined) return;
      step += 1;
      const report = { method: 'notifications/progress', params: { progressToken: token, progress: step, message } };
      // The client may have left; the call goes on without it.
      mcpReq.notify(report as Parameters<typeof mcpReq.notify>[0]).catch(() => undefined);
    };
    const context = {
      gone: mcpReq.signal,
      ...(cancelled && { cancelled }),
      ...(token !== undefined && { progress }),
    };
    const result = await hub.call(params.name, params.arguments ?? {}, context);
    if (result !== undefined) return result;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name.slice(0, 200)}`);
  });
  return server;
}

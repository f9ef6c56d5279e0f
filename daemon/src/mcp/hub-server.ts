import { Server } from '@modelcontextprotocol/server';
import { VERSION } from '@sandbox/api/version.ts';
import { callTool } from './call-tool.ts';
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
    const { name, arguments: args = {} } = params;
    const notify = (message: object): void => {
      // The client may have left; the call continues without it.
      mcpReq.notify(message as Parameters<typeof mcpReq.notify>[0]).catch(() => undefined);
    };
    const call = { name, args, token: mcpReq._meta?.progressToken };
    return await callTool(hub, call, { gone: mcpReq.signal, cancelled, notify });
  });
  return server;
}

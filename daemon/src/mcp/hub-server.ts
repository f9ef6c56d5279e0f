import { Server } from '@modelcontextprotocol/server';
import { VERSION } from '@sandbox/api/version.ts';
import { callTool } from './call-tool.ts';
import type { Hub } from './hub.ts';
import type { Resources } from './resources/resources.ts';

const INSTRUCTIONS = `Tools of one sandbox: a Linux machine with commands, files, code and a browser.
Paths are absolute. Files, processes and the working directory of commands persist between calls.`;

/**
 * A server of the protocol that serves one exchange with the tools of the hub.
 * @param cancelled fires when the client has said that it cancels the call
 */
export function hubServer(hub: Hub, cancelled?: AbortSignal): Server {
  const server = new Server(
    { name: 'sandbox', title: 'Sandbox', version: VERSION },
    { capabilities: { tools: {}, ...(hub.resources && { resources: {} }) }, instructions: INSTRUCTIONS },
  );
  if (hub.resources) serveResources(server, hub.resources);
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

function serveResources(server: Server, resources: Resources): void {
  server.setRequestHandler('resources/list', async ({ params }) => {
    const { resources: listed, ...more } = await resources.list(params?.cursor);
    return { resources: [...listed], ...more };
  });
  server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates: [...resources.templates] }));
  server.setRequestHandler(
    'resources/read',
    async ({ params: { uri } }, { mcpReq }) => await resources.read(uri, mcpReq.signal),
  );
}

import { z } from 'zod';
import { servedCaller } from '../../../core/access/public-caller.ts';
import { defineTool } from '../../../core/tools/tool.ts';
import type { PortService } from '../port-service.ts';

const TTL = 3600;

const preview = defineTool({
  name: 'sandbox_preview',
  order: 15,
  isExtra: true,
  title: 'Link to a server in the sandbox',
  description: `Makes a link with which a person opens, in a browser elsewhere, what a program of the sandbox serves on a
port, by the gateway. With a key the link has a ticket for this port alone, which is valid for ttl seconds. The answer
says whether something listens on the port.
Example: {"port": 3000, "path": "/docs"}`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  schema: z.object({
    port: z.int().min(1).max(65_535),
    path: z.string().max(4096).default('/').meta({ description: 'With its query.' }),
    ttl: z.int().min(1).max(TTL).default(TTL),
  }),
  handler: async (service: PortService, { port, path, ttl }) => {
    const { url, expiresAt } = service.previewOf(port, path, ttl, servedCaller());
    const isListening = await service.isListening(port);
    const hint = `nothing listens on port ${port} yet: start a program there, for example with sandbox_execute_bash`;
    return {
      url,
      is_listening: isListening,
      ...(expiresAt !== undefined && { expires_at: expiresAt.toISOString() }),
      ...(!isListening && { hint }),
    };
  },
});

export const portTools = [preview];

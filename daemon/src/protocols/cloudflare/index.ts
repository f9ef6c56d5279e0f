import { COMMANDS } from '../../core/ports/commands-port.ts';
import { FILES } from '../../core/ports/files-port.ts';
import { NETWORK_PORTS } from '../../core/ports/network-ports-port.ts';
import { provided } from '../../core/ports/port.ts';
import { TERMINALS } from '../../core/ports/terminals-port.ts';
import { defineProtocol } from '../../protocol.ts';
import { errorBody } from './answers.ts';
import { CloudflareOptions } from './options.ts';
import { hasState } from './state.ts';

export const cloudflare = defineProtocol({
  name: 'cloudflare',
  options: CloudflareOptions,
  uses: [COMMANDS, FILES, NETWORK_PORTS, TERMINALS],
  places: () => [{ url: '/compat/cloudflare/health', isPublic: true }],
  refusal: ({ status, message }) => ({ contentType: 'application/json', body: errorBody(status, message) }),
  isPending: hasState,
  load: async (core, options, ports, directory) => {
    const { CloudflareService } = await import('./cloudflare-service.ts');
    const read = {
      commands: provided(ports, COMMANDS),
      files: provided(ports, FILES),
      networkPorts: provided(ports, NETWORK_PORTS),
      terminals: provided(ports, TERMINALS),
    };
    return new CloudflareService(core, options, read, directory);
  },
  report: () => ({
    port: null,
    level: 'the bridge for one sandbox: exec, files, persist, hydrate, terminals, sessions, previews',
    missing: ['mount', 'unmount', 'pool', 'openapi'],
  }),
});

import { CODE } from '../../core/ports/code-port.ts';
import { COMMANDS } from '../../core/ports/commands-port.ts';
import { FILES } from '../../core/ports/files-port.ts';
import { provided } from '../../core/ports/port.ts';
import { TERMINALS } from '../../core/ports/terminals-port.ts';
import { WATCH } from '../../core/ports/watch-port.ts';
import { defineProtocol } from '../../protocol.ts';
import { errorBody } from './call.ts';
import { envdVersion } from './envd-version.ts';
import { E2bOptions } from './options.ts';
import { hasSandboxes } from './state/sandboxes.ts';

export const e2b = defineProtocol({
  name: 'e2b',
  options: E2bOptions,
  uses: [CODE, COMMANDS, FILES, TERMINALS, WATCH],
  refusal: ({ status, message }) => ({ contentType: 'application/json', body: errorBody(status, message) }),
  previewCredential: 'e2b-traffic-access-token',
  isPending: hasSandboxes,
  load: async (core, options, ports, directory) => {
    const { E2bService } = await import('./e2b-service.ts');
    const read = {
      code: provided(ports, CODE),
      commands: provided(ports, COMMANDS),
      files: provided(ports, FILES),
      terminals: provided(ports, TERMINALS),
      watch: provided(ports, WATCH),
    };
    return new E2bService(core, { ...core.config, ...options }, read, directory);
  },
  report: ({ e2bPort }) => ({
    port: e2bPort ?? null,
    level: `envd ${envdVersion()}, the control plane of one sandbox, code interpreter`,
    missing: ['pause', 'fork', 'snapshots', 'templates', 'volumes', 'secrets', 'network rules'],
  }),
});

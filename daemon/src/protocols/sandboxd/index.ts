import { COMMANDS } from '../../core/ports/commands-port.ts';
import { FILES } from '../../core/ports/files-port.ts';
import { provided } from '../../core/ports/port.ts';
import { TERMINALS } from '../../core/ports/terminals-port.ts';
import { defineProtocol } from '../../protocol.ts';
import { errorBody } from './answers.ts';
import { SandboxdOptions } from './options.ts';

export const sandboxd = defineProtocol({
  name: 'sandboxd',
  options: SandboxdOptions,
  uses: [COMMANDS, FILES, TERMINALS],
  isServed: (options) => options.sandboxd,
  places: (options) =>
    options.sandboxd
      ? [
          { url: '/v1/files' },
          { url: '/v1/files/*' },
          { url: '/v1/health', isPublic: true },
          { url: '/v1/metadata' },
          // A probe of gRPC carries no key.
          { url: '/compat/sandboxd/grpc.health.v1.Health/Check', isPublic: true },
        ]
      : [],
  refusal: ({ status, message }) => ({ contentType: 'application/json', body: errorBody(status, message) }),
  load: async (core, options, ports) => {
    const { SandboxdService } = await import('./sandboxd-service.ts');
    const read = {
      commands: provided(ports, COMMANDS),
      files: provided(ports, FILES),
      terminals: provided(ports, TERMINALS),
    };
    return new SandboxdService(core, options, read);
  },
  report: (options) => ({
    port: options.sandboxd ? (options.pythonRuntimePort ?? null) : null,
    level: options.sandboxd
      ? 'Core of KEP-539.2: files, health, metadata and processes; the older runtime API'
      : 'off: set SVC_SANDBOXD=true',
    missing: [],
  }),
});

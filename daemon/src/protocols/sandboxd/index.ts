import { FILES } from '../../core/ports/files-port.ts';
import { provided } from '../../core/ports/port.ts';
import { defineProtocol } from '../../protocol.ts';
import { errorBody } from './answers.ts';
import { SandboxdOptions } from './options.ts';

export const sandboxd = defineProtocol({
  name: 'sandboxd',
  options: SandboxdOptions,
  uses: [FILES],
  isServed: (options) => options.sandboxd,
  places: (options) =>
    options.sandboxd
      ? [{ url: '/v1/files' }, { url: '/v1/files/*' }, { url: '/v1/health', isPublic: true }, { url: '/v1/metadata' }]
      : [],
  refusal: ({ status, message }) => ({ contentType: 'application/json', body: errorBody(status, message) }),
  load: async (core, options, ports) => {
    const { SandboxdService } = await import('./sandboxd-service.ts');
    return new SandboxdService(core, options, provided(ports, FILES));
  },
  report: (options) => ({
    port: null,
    level: options.sandboxd ? 'files, health and metadata of KEP-539.2' : 'off: set SVC_SANDBOXD=true',
    missing: ['process.v1.ProcessService'],
  }),
});

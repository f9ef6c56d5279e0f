import { COMMANDS } from '../../core/ports/commands-port.ts';
import { FILES } from '../../core/ports/files-port.ts';
import { provided } from '../../core/ports/port.ts';
import { TERMINALS } from '../../core/ports/terminals-port.ts';
import { defineProtocol } from '../../protocol.ts';
import { SweRexOptions } from './options.ts';

export const sweRex = defineProtocol({
  name: 'swe-rex',
  options: SweRexOptions,
  uses: [COMMANDS, FILES, TERMINALS],
  refusal: ({ message }) => ({ contentType: 'application/json', body: JSON.stringify({ detail: message }) }),
  load: async (core, _options, ports, directory) => {
    const { SweRexService } = await import('./swe-rex-service.ts');
    const read = {
      commands: provided(ports, COMMANDS),
      files: provided(ports, FILES),
      terminals: provided(ports, TERMINALS),
    };
    return new SweRexService(core, read, directory);
  },
  report: ({ sweRexPort }) => ({
    port: sweRexPort ?? null,
    level: 'the runtime server of swe-rex 1.4.0: sessions, commands, files, uploads',
    missing: [],
  }),
});

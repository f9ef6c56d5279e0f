import { join } from 'node:path';
import process from 'node:process';
import { buildServices } from './build/services.ts';
import { programCommand } from './program-command.ts';
import { ROOT } from './root.ts';
import { runServices } from './serve/run-services.ts';

const code = await runServices({
  name: 'npm start --',
  programs: { sandboxd: programCommand('sandboxd'), gateway: programCommand('gateway') },
  commandLine: join(ROOT, 'scripts/serve/bin'),
  docker: ['docker', 'version', '--format', '{{.Server.Version}}'],
  prepare: async (say) => {
    if (await buildServices(ROOT, say)) say('built');
  },
});
process.exit(code);

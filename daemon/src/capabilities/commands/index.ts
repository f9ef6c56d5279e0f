import { defineCapability } from '../../capability.ts';
import { BEFORE_CHANGE, beforeChange } from '../../core/ports/before-change-port.ts';
import { COMMANDS } from '../../core/ports/commands-port.ts';
import { provide } from '../../core/ports/port.ts';
import { tool } from '../../core/requirement.ts';
import { CommandService } from './command-service.ts';
import { commandsPort } from './commands-port.ts';
import { CommandsOptions } from './options.ts';
import { COMMANDS_SCOPES } from './route-scopes.ts';
import { guardMemory } from './run/guard-memory.ts';
import { Launcher } from './run/launcher.ts';
import { CommandStore } from './store/command-store.ts';
import { recover } from './store/recover.ts';
import { commandTools } from './tools.ts';
import { commandsV1 } from './v1/routes.ts';
import { commandsV2 } from './v2/routes.ts';
import { commandOutputs } from './wire/command-outputs.ts';

export const commands = defineCapability({
  name: 'commands',
  scopes: COMMANDS_SCOPES,
  options: CommandsOptions,
  requires: [
    tool('shell', { programs: ['bash', 'sh'], required: true, hint: 'install bash' }),
    tool('setpriv', { hint: 'apt-get install util-linux: commands can then run as other accounts' }),
    tool('python', { programs: ['python3'], hint: 'apt-get install python3: Python code and packages' }),
    tool('node', { hint: 'apt-get install nodejs: JavaScript code and packages' }),
    tool('git', { hint: 'apt-get install git' }),
  ],
  provides: [provide(COMMANDS, commandsPort)],
  uses: [BEFORE_CHANGE],
  create: async (core, options, ports) => {
    const { store, records } = CommandStore.open(core, options.commandMaxSessions, {
      maxRecords: options.commandMaxRecords,
      maxAgeMs: options.commandRetentionSeconds * 1000,
      maxBytes: options.outputTotalMaxBytes,
    });
    await recover(core, store, records);
    core.metrics.gauge('commands_running', 'Commands running at this moment.', () => store.running.size);
    core.metrics.gauge('command_sessions', 'Command sessions that are open.', () => store.sessions.list().length);
    const launcher = new Launcher(core, options.commandOutputMaxBytes);
    const guard = guardMemory(core, store);
    const before = beforeChange(ports);
    const service = new CommandService(core, store, launcher, { maxRunning: options.commandMaxRunning, guard, before });
    core.metrics.gauge('command_attachments', 'Clients attached to commands.', () => service.attached);
    return service;
  },
  v2: commandsV2,
  v1: commandsV1,
  tools: commandTools,
  resources: commandOutputs,
  probe: (service) => service.probe(),
});

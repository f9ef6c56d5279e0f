import { defineCapability } from '../../capability.ts';
import { CommandService } from './command-service.ts';
import { Launcher } from './run/launcher.ts';
import { CommandStore } from './store/command-store.ts';
import { recover } from './store/recover.ts';
import { commandsV1 } from './v1/routes.ts';
import { commandsV2 } from './v2/routes.ts';

export const commands = defineCapability({
  name: 'commands',
  create: async (core) => {
    const { config, logger, runtime } = core;
    const { store, records } = CommandStore.open(runtime.path, logger, config.commandMaxSessions, {
      maxRecords: config.commandMaxRecords,
      maxAgeMs: config.commandRetentionSeconds * 1000,
      maxBytes: config.outputTotalMaxBytes,
    });
    await recover(core, store, records);
    core.metrics.gauge('commands_running', 'Commands running at this moment.', () => store.running.size);
    core.metrics.gauge('command_sessions', 'Command sessions that are open.', () => store.sessions.list().length);
    return new CommandService(core, store, new Launcher(config.defaultUser, config.commandOutputMaxBytes));
  },
  v2: commandsV2,
  v1: commandsV1,
  probe: (service) => service.probe(),
});

import { defineCapability } from '../../capability.ts';
import { CommandService } from './command-service.ts';
import { CommandStore } from './command-store.ts';
import { Launcher } from './launcher.ts';
import { recover } from './recover.ts';
import { commandsV1 } from './routes.v1.ts';
import { commandsV2 } from './routes.v2.ts';

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

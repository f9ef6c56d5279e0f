import { defineCapability } from '../../capability.ts';
import { ExecFiles } from './exec-files.ts';
import { PtyService } from './pty-service.ts';
import { recoverSessions } from './recover.ts';
import { ptyV1 } from './routes.v1.ts';
import { ptyV2 } from './routes.v2.ts';
import { ScreenThread } from './screen-thread.ts';
import { SessionFiles } from './session-record.ts';
import { ShellLauncher } from './shell-launcher.ts';

export const pty = defineCapability({
  name: 'pty',
  create: async (core) => {
    const { config, runtime, processes } = core;
    const tools = {
      host: processes,
      launcher: new ShellLauncher(config.defaultUser, config.ptyHistoryBytes),
      files: new SessionFiles(runtime.path),
      execFiles: new ExecFiles(runtime.path),
      screens: new ScreenThread(),
      historyBytes: config.ptyHistoryBytes,
    };
    const service = new PtyService(core, tools, await recoverSessions(core, tools));
    core.metrics.gauge('terminal_sessions', 'Terminal sessions that are open.', () => service.stats().total);
    core.metrics.gauge('terminal_viewers', 'Viewers attached to terminals.', () =>
      service.list().reduce((sum, { attached }) => sum + attached, 0),
    );
    return service;
  },
  v2: ptyV2,
  v1: ptyV1,
  probe: (service) => service.probe(),
});

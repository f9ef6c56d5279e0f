import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import { defineCapability } from '../../capability.ts';
import { provide } from '../../core/ports/port.ts';
import { TERMINALS } from '../../core/ports/terminals-port.ts';
import { tool } from '../../core/requirement.ts';
import { findTool } from '../../core/tool-path.ts';
import { ExecFiles } from './exec/exec-files.ts';
import { TerminalOptions } from './options.ts';
import { PtyService } from './pty-service.ts';
import { recoverSessions } from './recover.ts';
import { PTY_SCOPES } from './route-scopes.ts';
import { ScreenThread } from './screen/screen-thread.ts';
import { closeFailed, type FailedSession } from './session/failed-session.ts';
import { SessionFiles } from './session/session-record.ts';
import { ShellLauncher } from './session/shell-launcher.ts';
import { terminalsPort } from './terminals-port.ts';
import { TmuxHost } from './tmux/tmux.ts';
import { ptyV1 } from './v1/routes.ts';
import { ptyV2 } from './v2/routes.ts';
import { terminalTool } from './wire/terminal-tool.ts';

/** `auto`: tmux if it is on PATH. */
function usesTmux(backend: 'native' | 'tmux' | 'auto'): boolean {
  return backend === 'tmux' || (backend === 'auto' && findTool('tmux') !== undefined);
}

export const pty = defineCapability({
  name: 'pty',
  scopes: PTY_SCOPES,
  options: TerminalOptions,
  requires: [tool('tmux', { hint: 'apt-get install tmux: the tmux backend of terminals' })],
  // exec speaks to POSIX shells, and the foreground of a terminal is a process group.
  unsupportedOn: ['win32'],
  pages: [{ path: GATEWAY_PATHS.terminal, opens: ['/v2/pty', '/v2/session'] }],
  provides: [provide(TERMINALS, terminalsPort)],
  create: async (core, options) => {
    const { config, runtime, processes } = core;
    const execFiles = new ExecFiles(runtime.path);
    const tmux = usesTmux(options.shellBackend) ? new TmuxHost(processes, execFiles, runtime.path) : undefined;
    const tools = {
      host: tmux ?? processes,
      tmux,
      launcher: new ShellLauncher(core, options.ptyHistoryBytes),
      files: new SessionFiles(runtime),
      execFiles,
      screens: new ScreenThread(),
      historyBytes: options.ptyHistoryBytes,
      failed: (error: unknown, session: FailedSession) => closeFailed(core, error, session),
      clock: core.clock,
      recorder: core.recorder,
      activity: { activity: core.activity, quietMs: config.activityQuietSeconds * 1000 },
    };
    const service = new PtyService(core, tools, options, await recoverSessions(core, tools));
    core.metrics.gauge('terminal_sessions', 'Terminal sessions that are open.', () => service.stats().total);
    core.metrics.gauge('terminal_viewers', 'Viewers attached to terminals.', () =>
      service.list().reduce((sum, { attached }) => sum + attached, 0),
    );
    core.metrics.gauge('terminal_dropped_bytes', 'Bytes that have left the histories of the open terminals.', () =>
      service.list().reduce((sum, { history }) => sum + history.first, 0),
    );
    return service;
  },
  v2: ptyV2,
  v1: ptyV1,
  tools: terminalTool,
  probe: (service) => service.probe(),
  report: (service, finding) => ({
    exec: { pty: finding?.ok ?? false, tmux: findTool('tmux') !== undefined, backend: service.backend },
  }),
});

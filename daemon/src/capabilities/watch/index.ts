import { defineCapability } from '../../capability.ts';
import { ShellPaths } from '../../core/files/shell-paths.ts';
import { provide } from '../../core/ports/port.ts';
import { WATCH } from '../../core/ports/watch-port.ts';
import { watchProgram } from '../../core/process/keeper/keeper-program.ts';
import { InotifyBackend } from './inotify/inotify-backend.ts';
import { WatchOptions } from './options.ts';
import { PortableBackend } from './portable-backend.ts';
import { watchV1 } from './v1/routes.ts';
import { watchV2 } from './v2/routes.ts';
import { watchPort } from './watch-port.ts';
import { WatchService } from './watch-service.ts';
import { watchTool } from './wire/watch-tool.ts';

export const watch = defineCapability({
  name: 'watch',
  scopes: {
    '/v2/watch': 'GET=read POST=control',
    '/v2/watch/:watcher_id': 'DELETE=control',
    '/v2/watch/:watcher_id/events': 'GET=read',
    '/v2/watch/:watcher_id/poll': 'GET=read',
    '/v1/file/watch': 'GET=read POST=control',
    '/v1/file/watch/wait': 'POST=control',
    '/v1/file/watch/:watcher_id': 'DELETE=control',
    '/v1/file/watch/:watcher_id/events': 'GET=read',
    '/v1/file/watch/:watcher_id/poll': 'POST=control',
  },
  options: WatchOptions,
  provides: [provide(WATCH, watchPort)],
  create: ({ config, logger, metrics, platform }, { watchMaxWatchers }) => {
    const { path, isThere } = watchProgram(config.keeperProgram);
    const inotify = isThere ? new InotifyBackend(path, logger) : undefined;
    const service = new WatchService(
      inotify ?? new PortableBackend(),
      watchMaxWatchers,
      new ShellPaths(config.defaultUser, platform),
    );
    if (!inotify) logger.info({ reason: `no program at ${path}` }, 'watchers use chokidar: renames are not paired');
    metrics.gauge('watchers', 'Watchers, and waits for one event.', () => service.count);
    metrics.gauge('watched_directories', 'Directories that inotify watches.', () => inotify?.directories ?? 0);
    return service;
  },
  v2: watchV2,
  v1: watchV1,
  tools: watchTool,
});

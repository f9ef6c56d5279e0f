import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { FSWatcher } from 'chokidar';
import { byteNameOf, textOf } from '../../core/files/byte-name.ts';
import { type ChangeSink, type ChangeType, changeOf } from './change.ts';
import type { WatchBackend, WatchTerms } from './watch-backend.ts';
import { asWatchFailure } from './watch-limits.ts';

const TYPES: Readonly<Record<string, readonly [type: ChangeType, isDirectory: boolean]>> = {
  add: ['create', false],
  addDir: ['create', true],
  change: ['write', false],
  unlink: ['remove', false],
  unlinkDir: ['remove', true],
};

/**
 * Watches through chokidar if there is no inotify reader. chokidar uses `fs.watch`: a rename is a removal and a
 * creation, changes of mode are not reported, and changes may be lost without a report.
 */
export class PortableBackend implements WatchBackend {
  readonly name = 'portable';
  readonly promises = { everything: false } as const;
  readonly #watchers = new Set<FSWatcher>();

  async watch({ root, recursive, filter }: WatchTerms, sink: ChangeSink): Promise<AsyncDisposable> {
    const { watch } = await import('chokidar');
    const top = textOf(root);
    const relative = (path: string): string =>
      byteNameOf(path === top ? '' : path.slice(top === '/' ? 1 : top.length + 1));
    const watcher = watch(top, {
      ignoreInitial: true,
      followSymlinks: false,
      atomic: false,
      ...(!recursive && { depth: 0 }),
      ignored: (path, stats) => filter.excludes(relative(path), stats?.isDirectory() ?? false),
    });
    this.#watchers.add(watcher);
    const ready = Promise.withResolvers<void>();
    watcher.once('ready', () => ready.resolve());
    watcher.on('error', (error) => {
      ready.reject(error);
      sink.lost('watch_limit');
    });
    watcher.on('all', (event, path) => {
      const known = TYPES[event];
      if (known === undefined) return;
      const [type, isDirectory] = known;
      const name = relative(path);
      if (filter.reports(name, isDirectory)) sink.change(changeOf(type, name, isDirectory));
    });
    const close = async (): Promise<void> => {
      this.#watchers.delete(watcher);
      await watcher.close();
    };
    try {
      await ready.promise;
    } catch (error) {
      await close();
      const failure = asWatchFailure(error);
      if (failure instanceof SandboxError) throw failure;
      throw new SandboxError('unavailable', `cannot be watched: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    }
    return { [Symbol.asyncDispose]: close };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#watchers].map((watcher) => watcher.close()));
  }
}

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { describeRows } from '../../../../scripts/testing/describe-rows.ts';
import { isLoss, type LogEntry } from '../../core/event-log.ts';
import { watchProgram } from '../../core/process/keeper/keeper-program.ts';
import type { Change } from './change.ts';
import { InotifyBackend } from './inotify/inotify-backend.ts';
import { PortableBackend } from './portable-backend.ts';
import type { WatchBackend } from './watch-backend.ts';
import { WatchService } from './watch-service.ts';
import type { Watcher, WatcherTerms } from './watcher.ts';

const keeper = watchProgram(undefined);
export const hasInotify = keeper.isThere;

const PATIENCE_MS = 45_000;

interface BackendRow {
  readonly name: string;
  readonly isThere: boolean;
  readonly open: () => WatchBackend;
  /** Every event is reported, however short the time between two. */
  readonly everything: boolean;
}

const BACKENDS: readonly BackendRow[] = [
  { name: 'inotify', isThere: hasInotify, open: () => inotify(), everything: true },
  { name: 'portable', isThere: true, open: () => new PortableBackend(), everything: false },
];

/** Defines a suite once for each backend. */
export function describeOnBackends(define: (backend: BackendRow) => void): void {
  describeRows(BACKENDS, ({ name }) => `on the ${name} backend`, define);
}

export function inotify(program: string = keeper.path): InotifyBackend {
  return new InotifyBackend(program, createLogger('test', 'silent', []));
}

/** A watch service and a directory of its own. */
export class Watching implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'watch-'));
  readonly service: WatchService;
  #cursors = new Map<Watcher, number>();

  constructor(backend: WatchBackend = inotify(), maxWatchers = 128) {
    this.service = new WatchService(backend, maxWatchers);
  }

  path(...names: string[]): string {
    return join(this.directory, ...names);
  }

  /** Creates a file with its content in one event; writing into it could be reported as two. */
  put(name: string, content: string): void {
    const draft = `${this.directory}.draft`;
    writeFileSync(draft, content);
    renameSync(draft, this.path(name));
  }

  async watch(terms: Partial<WatcherTerms> = {}): Promise<Watcher> {
    const { watcher } = await this.service.create({
      path: this.directory,
      recursive: true,
      debounceMs: 50,
      exclude: [],
      include: [],
      ...terms,
    });
    return watcher;
  }

  /** The events up to the given one, each as `type path` or `rename old > new`; a loss as its reason. */
  async until(watcher: Watcher, last: string): Promise<string[]> {
    const seen: string[] = [];
    const limit = AbortSignal.timeout(PATIENCE_MS);
    while (!seen.includes(last)) {
      const cursor = this.#cursors.get(watcher) ?? 0;
      await watcher.log.moreThan(cursor, { signal: limit });
      for (const entry of watcher.log.after(cursor, 1000)) {
        seen.push(wordsOf(entry));
        this.#cursors.set(watcher, entry.seq);
        if (isLoss(entry) && entry.reason === last) return seen;
      }
      if (limit.aborted || watcher.log.isClosed)
        throw new Error(`no ${JSON.stringify(last)} came, but ${JSON.stringify(seen)}`);
    }
    return seen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function wordsOf(entry: LogEntry<Change>): string {
  if (isLoss(entry)) return entry.reason;
  const { type, path, oldPath } = entry;
  return oldPath === null ? `${type} ${path}` : `${type} ${oldPath} > ${path}`;
}

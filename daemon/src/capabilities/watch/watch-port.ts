import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { isLoss } from '../../core/event-log.ts';
import { textOf } from '../../core/files/byte-name.ts';
import type { Watch, WatchedChange, WatchPort } from '../../core/ports/watch-port.ts';
import type { WatchService } from './watch-service.ts';
import type { Watcher } from './watcher.ts';

/** Changes of one type of one path within so many milliseconds are one. */
const DEBOUNCE_MS = 50;
const READ_EVENTS = 1000;

/** Watching for protocols. */
export function watchPort(service: WatchService): WatchPort {
  return {
    watch: async (path, recursive) => {
      const terms = { path, recursive, debounceMs: DEBOUNCE_MS, exclude: [], include: [] };
      const { watcher } = await service.create(terms);
      return new PortWatch(service, watcher);
    },
  };
}

class PortWatch implements Watch {
  readonly #service: WatchService;
  readonly #watcher: Watcher;
  #cursor: number;
  #isReleased = false;

  constructor(service: WatchService, watcher: Watcher) {
    this.#service = service;
    this.#watcher = watcher;
    this.#cursor = watcher.log.last;
  }

  /** @throws SandboxError `io` once if changes are missing */
  async next(waitMs: number, signal: AbortSignal): Promise<readonly WatchedChange[]> {
    const request = { cursor: this.#cursor, limit: READ_EVENTS, waitMs };
    const { entries, cursor } = await this.#watcher.read(request, signal);
    this.#cursor = cursor;
    const lost = entries.find(isLoss);
    if (lost) throw new SandboxError('io', `changes are missing: ${lost.reason}; list the directory again`);
    return entries.flatMap((entry) => {
      if (isLoss(entry)) return [];
      const { type, path, oldPath } = entry;
      return [{ type, path: textOf(path), oldPath: oldPath === null ? null : textOf(oldPath) }];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    await this.#service.release(this.#watcher.id);
  }
}

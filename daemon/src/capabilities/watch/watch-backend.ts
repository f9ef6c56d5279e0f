import type { ByteName } from '../../core/files/byte-name.ts';
import type { ChangeSink } from './change.ts';
import type { PathFilter } from './path-filter.ts';

export interface WatchTerms {
  /** Absolute, without repeated or trailing slashes. */
  readonly root: ByteName;
  readonly recursive: boolean;
  readonly filter: PathFilter;
}

/** Sees changes. One suite runs on every backend; what a backend does not promise stands in `promises`. */
export interface WatchBackend extends AsyncDisposable {
  readonly name: 'inotify' | 'portable';
  readonly promises: {
    /** A rename is one change, a mode that changes is told, a lost change is told, a root that is made again is seen. */
    readonly everything: boolean;
  };
  /**
   * Tells what happens from the moment it resolves until the answer is disposed. The root may be a file, and need not be
   * there yet.
   * @throws SandboxError `capacity` where a limit of the system is reached, `unavailable` where nothing can be watched
   */
  watch(terms: WatchTerms, sink: ChangeSink): Promise<AsyncDisposable>;
}

import type { ByteName } from '../../core/files/byte-name.ts';
import type { ChangeSink } from './change.ts';
import type { PathFilter } from './path-filter.ts';

export interface WatchTerms {
  /** Absolute, without repeated or trailing slashes. */
  readonly root: ByteName;
  readonly recursive: boolean;
  readonly filter: PathFilter;
}

/** A source of changes. One suite runs on every backend; `promises` says what a backend guarantees. */
export interface WatchBackend extends AsyncDisposable {
  readonly name: 'inotify' | 'portable';
  readonly promises: {
    /** A rename is one change; changes of mode and lost changes are reported; a recreated root is watched again. */
    readonly everything: boolean;
  };
  /**
   * Reports changes to the sink from the moment it resolves until the answer is disposed. The root may be a file, and
   * need not exist yet.
   * @throws SandboxError `capacity` if the limit of watches is reached, `unavailable` if nothing can be watched
   */
  watch(terms: WatchTerms, sink: ChangeSink): Promise<AsyncDisposable>;
}

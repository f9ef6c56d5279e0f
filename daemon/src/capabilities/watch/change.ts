import type { ByteName } from '../../core/files/byte-name.ts';

export const CHANGE_TYPES = ['create', 'write', 'remove', 'rename', 'chmod'] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

/** An event below a root, or of the root itself. */
export interface Change {
  readonly type: ChangeType;
  /** Relative to the root; empty for the root itself. */
  readonly path: ByteName;
  /** The former path of a rename. */
  readonly oldPath: ByteName | null;
  readonly isDirectory: boolean;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/**
 * Why changes are missing: `queue_overflow`: the kernel's queue was full; `reader_restarted`: the inotify reader was
 * restarted; `watch_limit`: a directory could not be watched because the limit of watches is reached;
 * `too_many_events`: a reader fell behind the kept events; `unclear_order`: directories were renamed faster than they
 * could be watched.
 */
export type LossReason = 'queue_overflow' | 'reader_restarted' | 'watch_limit' | 'too_many_events' | 'unclear_order';

/** Receives the changes of a watch. */
export interface ChangeSink {
  readonly change: (change: Change) => void;
  readonly lost: (reason: LossReason) => void;
}

export function changeOf(
  type: ChangeType,
  path: ByteName,
  isDirectory: boolean,
  oldPath: ByteName | null = null,
): Change {
  return { type, path, oldPath, isDirectory, timestamp: Date.now() / 1000 };
}

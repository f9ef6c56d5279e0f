import type { ByteName } from '../../core/files/byte-name.ts';

export const CHANGE_TYPES = ['create', 'write', 'remove', 'rename', 'chmod'] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

/** Something that happened below a root, or to the root itself. */
export interface Change {
  readonly type: ChangeType;
  /** Relative to the root; empty for the root itself. */
  readonly path: ByteName;
  /** Of a rename: where it was. */
  readonly oldPath: ByteName | null;
  readonly isDirectory: boolean;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/**
 * Why changes are missing: the queue of the kernel was full; the reader of inotify was started anew; a directory could not
 * be watched because the limit of watches is reached; a reader fell behind what is kept; directories were renamed faster than
 * they could be taken up.
 */
export type LossReason = 'queue_overflow' | 'reader_restarted' | 'watch_limit' | 'too_many_events' | 'unclear_order';

/** What a watch tells. */
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
  return { type, path, oldPath, isDirectory, timestamp: (performance.timeOrigin + performance.now()) / 1000 };
}

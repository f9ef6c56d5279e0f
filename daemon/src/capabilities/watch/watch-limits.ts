import { readFileSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { errnoName } from '../../core/errno-name.ts';
import { InotifyFailure } from '../../core/process/keeper/inotify-reader.ts';

/** Whether the user's limit of watches is reached; the kernel answers ENOSPC, although no disk is full (inotify(7)). */
export function isWatchLimit(error: unknown): boolean {
  return errnoName(error) === 'ENOSPC';
}

/** The error for the caller if a watch failed. */
export function asWatchFailure(error: unknown): unknown {
  if (isWatchLimit(error)) {
    const limit = limitOf('max_user_watches');
    return new SandboxError(
      'capacity',
      `the limit of inotify watches is reached (fs.inotify.max_user_watches${limit})`,
      {
        hint: 'watch a smaller tree, exclude directories, stop a watcher, or raise fs.inotify.max_user_watches',
        data: { errnoName: 'ENOSPC', limit: 'fs.inotify.max_user_watches', holders: [] },
        cause: error,
      },
    );
  }
  if (error instanceof InotifyFailure) {
    return new SandboxError('unavailable', `nothing can be watched: ${error.message}`, {
      hint: `the limit of inotify instances may be reached: raise fs.inotify.max_user_instances${limitOf('max_user_instances')}`,
      cause: error,
    });
  }
  return error;
}

function limitOf(name: string): string {
  try {
    return `, now ${readFileSync(`/proc/sys/fs/inotify/${name}`, 'latin1').trim()}`;
  } catch {
    return '';
  }
}

import type { z } from 'zod';
import type { Numbered } from '../../../core/event-log.ts';
import { type ByteName, pathOf, textOf } from '../../../core/files/byte-name.ts';
import { exactPath, shownPath } from '../../../core/files/file-path.ts';
import { pathFields } from '../../../http/files/file-fields.ts';
import { absoluteName, type WatchEvent } from '../watch-event.ts';
import type { WatchEventInfo } from './schemas.ts';

export function eventInfo(root: ByteName, event: Numbered<WatchEvent>): z.infer<typeof WatchEventInfo> {
  const old = event.oldPath === null ? undefined : pathOf(absoluteName(root, event.oldPath));
  const oldExact = old === undefined ? undefined : exactPath(old);
  return {
    seq: event.seq,
    type: event.type,
    ...pathFields(pathOf(absoluteName(root, event.path))),
    relative_path: textOf(event.path),
    old_path: old === undefined ? null : shownPath(old),
    ...(oldExact !== undefined && { old_path_b64: oldExact }),
    is_dir: event.isDirectory,
    timestamp: event.timestamp,
    mtime: event.mtime,
    size: event.size,
    inode: event.inode,
  };
}

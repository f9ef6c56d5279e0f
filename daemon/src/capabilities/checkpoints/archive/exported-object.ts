import type { ExportedObject } from '../engine/engine-protocol.ts';
import { filePartsOf } from '../engine/file-parts.ts';
import type { Segment } from '../tree/segment.ts';

/** The objects of a directory for an archive; the first one is the directory itself if it is the root. */
export function exportedObjects({ entries, contents }: Segment): ExportedObject[] {
  return entries.map((entry) => {
    const { kind, name, mode, uid, gid, size, mtime, rdev, links, device, inode, target, xattrs } = entry;
    const content = contents.get(name);
    return {
      ...{ kind, name, mode, uid, gid, size, mtime, rdev, target },
      // Of its own memory: it is sent to another thread.
      xattrs: new Uint8Array(xattrs),
      link: links > 1 ? `${device}:${inode}` : undefined,
      parts: kind === 'f' && content?.pieces ? filePartsOf({ entry, content }) : undefined,
      isSparse: content?.extents !== undefined,
    };
  });
}

import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { systemCodeOf, systemFailure } from '../../../core/files/file-failure.ts';
import {
  bytesOfPath,
  type FilePath,
  joinPath,
  nameOf,
  parentOf,
  pathOfBytes,
  shownPath,
} from '../../../core/files/file-path.ts';

/** Symlinks that Linux follows in one path (path_resolution(7)). */
const LINKS_MAX = 40;

/**
 * The path that a write to `path` reaches after its symlinks; the file and its directories need not exist.
 * @throws as `realpath` does, but for `ENOENT`; `ELOOP` for a loop of links
 */
export function realTarget(path: FilePath, links = LINKS_MAX): FilePath {
  try {
    return realPath(path);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  }
  if (links === 0) throw systemFailure('ELOOP', 'resolve', shownPath(path));
  const [parent, name] = [parentOf(path), nameOf(path)];
  const link = linkOf(path);
  if (link === undefined) return joinPath(realTarget(parent, links), name);
  return realTarget(link[0] === '/' || link[0] === 0x2f ? link : joinPath(parent, link), links - 1);
}

/** @throws as `realpath` does */
function realPath(path: FilePath): FilePath {
  if (typeof path === 'string') {
    const real = realpathSync.native(path);
    if (!real.includes('\ufffd')) return real;
  }
  return pathOfBytes(realpathSync.native(bytesOfPath(path), { encoding: 'buffer' }));
}

function linkOf(path: FilePath): FilePath | undefined {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? pathOfBytes(readlinkSync(path, { encoding: 'buffer' })) : undefined;
}

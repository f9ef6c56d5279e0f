import { type BigIntStats, lstatSync, readlinkSync, statSync } from 'node:fs';
import { isConfined } from '../../../core/access/caller.ts';
import { accountNames } from '../../../core/account/identity.ts';
import { type FilePath, pathOfBytes } from '../../../core/files/file-path.ts';
import { Place } from '../../../core/files/place/place.ts';
import { etagOf } from '../etag.ts';

export interface FileStat {
  readonly stats: BigIntStats;
  readonly isSymlink: boolean;
  readonly symlinkTarget: FilePath | undefined;
  readonly user: string | undefined;
  readonly group: string | undefined;
  readonly etag: string;
}

/** The entry at a path; with `followSymlinks`, the link's target, while `isSymlink` is still that of the link. */
export function statPath(path: FilePath, followSymlinks: boolean): FileStat {
  return isConfined() ? statConfined(path, followSymlinks) : statAt(path, followSymlinks ? path : undefined);
}

/** By descriptors, so that nothing outside the directories of the request can take a name on the way. */
function statConfined(path: FilePath, followSymlinks: boolean): FileStat {
  using own = Place.find(path, 'stat', { follow: false, access: 'read' });
  if (!followSymlinks) return statAt(own.at, undefined);
  using target = Place.find(path, 'stat', { follow: true, access: 'read' });
  return statAt(own.at, target.at);
}

/** @param target what a link leads to; undefined: it is not followed */
function statAt(path: FilePath, target: FilePath | undefined): FileStat {
  const own = lstatSync(path, { bigint: true });
  const isSymlink = own.isSymbolicLink();
  const stats = isSymlink && target !== undefined ? statSync(target, { bigint: true }) : own;
  const { user, group } = accountNames(Number(stats.uid), Number(stats.gid));
  const symlinkTarget = isSymlink ? pathOfBytes(readlinkSync(path, { encoding: 'buffer' })) : undefined;
  return { stats, isSymlink, symlinkTarget, user, group, etag: etagOf(stats) };
}

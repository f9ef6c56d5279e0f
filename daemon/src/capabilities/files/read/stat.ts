import { type BigIntStats, lstatSync, readlinkSync, statSync } from 'node:fs';
import { accountNames } from '../../../core/account/identity.ts';
import { type FilePath, pathOfBytes } from '../../../core/files/file-path.ts';
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
  const own = lstatSync(path, { bigint: true });
  const isSymlink = own.isSymbolicLink();
  const stats = isSymlink && followSymlinks ? statSync(path, { bigint: true }) : own;
  const { user, group } = accountNames(Number(stats.uid), Number(stats.gid));
  const symlinkTarget = isSymlink ? pathOfBytes(readlinkSync(path, { encoding: 'buffer' })) : undefined;
  return { stats, isSymlink, symlinkTarget, user, group, etag: etagOf(stats) };
}

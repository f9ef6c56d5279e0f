import { realpathSync, type Stats, statSync } from 'node:fs';
import { posix } from 'node:path';
import { accountNames } from '../../../core/account/identity.ts';
import { type FilePath, shownPath } from '../../../core/files/file-path.ts';
import type { FilesPort } from '../../../core/ports/files-port.ts';
import type { Given } from '../../../http/rpc/wire-types.ts';
import { E2B_USER, type NamedUser } from '../accounts.ts';
import { type EntryInfo, FILE_TYPES } from '../wire/filesystem.ts';
import { readMetadata } from './metadata.ts';

type Entry = Given<typeof EntryInfo>;
type AnyStats = Pick<Stats, 'isDirectory' | 'isFile' | 'isSymbolicLink'> & {
  readonly mode: number | bigint;
  readonly size: number | bigint;
  readonly uid: number | bigint;
  readonly gid: number | bigint;
  readonly mtime: Date;
};

/** The letters of a mode as ls prints them. */
const TRIPLES = ['---', '--x', '-w-', '-wx', 'r--', 'r-x', 'rw-', 'rwx'];

/** What a path stands for. @throws FileFailure `not_found` */
export async function entryAt(files: FilesPort, path: string, named: NamedUser | undefined): Promise<Entry> {
  const { stats } = await files.stat(path, false);
  return entryOf(path, stats, named);
}

/**
 * An entry with the type of the target if it is a link, as envd reports it.
 * @param named account whose entries have the owner `user`, and its group that name too
 */
export function entryOf(path: FilePath, stats: AnyStats, named: NamedUser | undefined): Entry {
  const shown = shownPath(path);
  const target = stats.isSymbolicLink() ? targetOf(path) : undefined;
  const mode = Number(stats.mode) & 0o7777;
  const [uid, gid] = [Number(stats.uid), Number(stats.gid)];
  const { user, group } = accountNames(uid, gid);
  const isNamed = uid === named?.uid;
  const ms = stats.mtime.getTime();
  const seconds = Math.floor(ms / 1000);
  return {
    name: posix.basename(shown),
    type: typeOf(target?.stats ?? stats),
    path: shown,
    size: BigInt(stats.size),
    mode,
    permissions: `${letterOf(stats)}${[6, 3, 0].map((shift) => TRIPLES[(mode >> shift) & 7]).join('')}`,
    owner: isNamed ? E2B_USER : (user ?? String(uid)),
    group: isNamed && gid === named.gid ? E2B_USER : (group ?? String(gid)),
    modifiedTime: { seconds: BigInt(seconds), nanos: Math.round((ms - seconds * 1000) * 1e6) },
    symlinkTarget: target?.path,
    metadata: stats.isFile() || stats.isDirectory() ? readMetadata(path) : {},
  };
}

/** Undefined stats: the link leads nowhere. */
function targetOf(path: FilePath): { readonly path: string; readonly stats: Stats | undefined } {
  try {
    return { path: belowGivenName(path, realpathSync(path)), stats: statSync(path) };
  } catch {
    return { path: shownPath(path), stats: undefined };
  }
}

/** A target beside the link is named as the link is, also if a directory above both is a link. */
function belowGivenName(path: FilePath, target: string): string {
  const parent = posix.dirname(shownPath(path));
  const realParent = realpathSync(parent);
  return target.startsWith(`${realParent}/`) ? posix.join(parent, target.slice(realParent.length)) : target;
}

function typeOf(stats: AnyStats): number {
  if (stats.isDirectory()) return FILE_TYPES.FILE_TYPE_DIRECTORY;
  if (stats.isFile()) return FILE_TYPES.FILE_TYPE_FILE;
  return stats.isSymbolicLink() ? FILE_TYPES.FILE_TYPE_SYMLINK : FILE_TYPES.FILE_TYPE_UNSPECIFIED;
}

function letterOf(stats: AnyStats): string {
  if (stats.isDirectory()) return 'd';
  return stats.isSymbolicLink() ? 'L' : '-';
}

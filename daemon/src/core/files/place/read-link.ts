import { type BigIntStats, lstatSync, readlinkSync } from 'node:fs';
import { systemCodeOf } from '../file-failure.ts';
import { type FilePath, pathOfBytes } from '../file-path.ts';
import type { HeldDirectory } from './held-directory.ts';

/** A change within one tick of the file system's clock leaves the same time; no clock ticks slower. */
const TICK_NS = 100_000_000n;

export interface LinkRead {
  readonly target: FilePath;
  /** Numbers of the accounts that decide where it leads. */
  readonly owners: readonly number[];
}

/**
 * Reads a link with its owner. A link that was changed a moment ago may have been exchanged and put back in between,
 * so that it counts as one of the directory's owner too.
 * @returns undefined if it changed meanwhile
 */
export function readLink(directory: HeldDirectory, name: FilePath): LinkRead | undefined {
  const at = directory.at(name);
  const before = linkStats(at);
  const target = targetOf(at);
  const after = linkStats(at);
  if (!before || target === undefined || !after || !isUnchanged(before, after)) return undefined;
  const isSettled = BigInt(Date.now()) * 1_000_000n - before.ctimeNs > TICK_NS;
  const uid = Number(before.uid);
  return { target, owners: isSettled ? [uid] : [uid, directory.stats().uid] };
}

function linkStats(at: FilePath): BigIntStats | undefined {
  const stats = lstatSync(at, { bigint: true, throwIfNoEntry: false });
  return stats?.isSymbolicLink() ? stats : undefined;
}

/** Undefined if the link is gone. */
function targetOf(at: FilePath): FilePath | undefined {
  try {
    return pathOfBytes(readlinkSync(at, { encoding: 'buffer' }));
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'EINVAL') return undefined;
    throw error;
  }
}

function isUnchanged(before: BigIntStats, after: BigIntStats): boolean {
  return before.ino === after.ino && before.dev === after.dev && before.ctimeNs === after.ctimeNs;
}

import { opendirSync, readdirSync, statSync } from 'node:fs';
import { type ByteName, bytesOf } from './byte-name.ts';
import { mountsNow } from './mounts.ts';

/** Size of a directory file in bytes above which listing it in one call takes too long. */
const LARGE_BYTES = 64 * 1024;
const ENTRIES_A_READ = 256;

interface Entry {
  readonly name: ByteName;
  readonly isDirectory: () => boolean;
}

/**
 * Entries of a directory, a large one in pieces, so that a million names do not block the event loop.
 * @throws as `readdir` does
 */
export function entriesOf(path: ByteName): Iterable<Entry> {
  const bytes = bytesOf(path);
  if (statSync(bytes).size > LARGE_BYTES) return entriesInPieces(bytes);
  // Names that are read as latin1 are their bytes.
  return readdirSync(bytes, { withFileTypes: true, encoding: 'latin1' });
}

/** Takes several times as long for a small directory: it creates a handle for each. */
function* entriesInPieces(path: Buffer): Iterable<Entry> {
  const directory = opendirSync(path, { encoding: 'latin1', bufferSize: ENTRIES_A_READ });
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) yield entry;
  } finally {
    directory.closeSync();
  }
}

/** Virtual file systems of the kernel: they may be endless and report no changes. */
const MADE_UP: ReadonlySet<string> = new Set(
  (
    'autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts efivarfs fusectl hugetlbfs mqueue nsfs proc pstore ' +
    'securityfs selinuxfs sysfs tracefs'
  ).split(' '),
);

/** Mount points of such file systems; empty without /proc. */
export function madeUpMounts(): ReadonlySet<ByteName> {
  const mounts = mountsNow() ?? [];
  return new Set(mounts.filter(({ type }) => MADE_UP.has(type)).map(({ at }) => at));
}

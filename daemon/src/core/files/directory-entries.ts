import { opendirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { type ByteName, bytesOf } from './byte-name.ts';

/** Bytes of a directory itself, from which on it may hold so many names that listing it at once takes long. */
const LARGE_BYTES = 64 * 1024;
const ENTRIES_A_READ = 256;

interface Entry {
  readonly name: ByteName;
  readonly isDirectory: () => boolean;
}

/**
 * What a directory holds; a large one piece by piece, so that a million names do not stop everything else.
 * @throws as `readdir` does
 */
export function entriesOf(path: ByteName): Iterable<Entry> {
  const bytes = bytesOf(path);
  if (statSync(bytes).size > LARGE_BYTES) return entriesInPieces(bytes);
  // Names that are read as latin1 are their bytes.
  return readdirSync(bytes, { withFileTypes: true, encoding: 'latin1' });
}

/** Costs several times as much: a handle with functions of its own for each directory. */
function* entriesInPieces(path: Buffer): Iterable<Entry> {
  const directory = opendirSync(path, { encoding: 'latin1', bufferSize: ENTRIES_A_READ });
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) yield entry;
  } finally {
    directory.closeSync();
  }
}

/** File systems that the kernel makes up: they are endless and tell no changes. */
const MADE_UP: ReadonlySet<string> = new Set(
  (
    'autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts efivarfs fusectl hugetlbfs mqueue nsfs proc pstore ' +
    'securityfs selinuxfs sysfs tracefs'
  ).split(' '),
);

/** Where such file systems are mounted (proc_pid_mountinfo(5)); none where the system does not say. */
export function madeUpMounts(): ReadonlySet<ByteName> {
  let text: string;
  try {
    text = readFileSync('/proc/self/mountinfo', 'latin1');
  } catch {
    return new Set();
  }
  const mounts = text.split('\n').map((line) => line.split(' '));
  const paths = mounts
    .filter((fields) => MADE_UP.has(fields[fields.indexOf('-') + 1] ?? ''))
    .map((fields) =>
      (fields[4] ?? '').replaceAll(/\\([0-7]{3})/g, (_all, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
    );
  return new Set(paths);
}

import { opendirSync, readFileSync } from 'node:fs';
import { type ByteName, bytesOf } from './byte-name.ts';

const ENTRIES_A_READ = 256;

/** Lists a directory piece by piece, so that one of a million names does not stop everything else. */
export function* entriesOf(path: ByteName): Iterable<{ name: ByteName; isDirectory: boolean }> {
  // Names that are read as latin1 are their bytes.
  const directory = opendirSync(bytesOf(path), { encoding: 'latin1', bufferSize: ENTRIES_A_READ });
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      yield { name: entry.name, isDirectory: entry.isDirectory() };
    }
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

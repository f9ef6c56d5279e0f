import type { StatsBase } from 'node:fs';

type Kinds = Pick<
  StatsBase<number | bigint>,
  'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isFIFO' | 'isSocket' | 'isBlockDevice' | 'isCharacterDevice'
>;

/** The type of a file. */
export function kindOf(stats: Kinds): string {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isFIFO()) return 'FIFO';
  if (stats.isSocket()) return 'socket';
  return stats.isBlockDevice() ? 'block device' : 'character device';
}

const known = new Map<number, string>();

/** Type and mode in the form of `ls -l`. */
export function permissionsOf(stats: Kinds & { readonly mode: number | bigint }): string {
  const mode = Number(stats.mode);
  const text = known.get(mode) ?? describe(stats, mode);
  known.set(mode, text);
  return text;
}

function describe(stats: Kinds, mode: number): string {
  const letters = [...'rwxrwxrwx'].map((letter, at) => (mode & (0o400 >> at) ? letter : '-'));
  const special = [
    [0o4000, 2, 's'],
    [0o2000, 5, 's'],
    [0o1000, 8, 't'],
  ] as const;
  for (const [bit, at, letter] of special) {
    if (mode & bit) letters[at] = letters[at] === 'x' ? letter : letter.toUpperCase();
  }
  return (TYPE_LETTERS[kindOf(stats)] ?? '?') + letters.join('');
}

const TYPE_LETTERS: Readonly<Record<string, string>> = {
  file: '-',
  directory: 'd',
  symlink: 'l',
  FIFO: 'p',
  socket: 's',
  'block device': 'b',
  'character device': 'c',
};

/** Permission bits with setuid, setgid and sticky, as `chmod` takes them. */
export function modeText(mode: number | bigint): string {
  return (Number(mode) & 0o7777).toString(8).padStart(4, '0');
}

import { randomBytes } from 'node:crypto';
import { chownSync, lchownSync, mkdirSync, renameSync, rmdirSync, type Stats } from 'node:fs';
import { systemCodeOf } from '../file-failure.ts';
import type { FilePath } from '../file-path.ts';
import type { Owner } from '../ownership.ts';
import { partName } from '../part-name.ts';
import { type Entry, HeldDirectory } from './held-directory.ts';

const PRIVATE = 0o700;
const STICKY = 0o1000;

/** Random and hexadecimal, as part of a name. */
export function newPartId(): string {
  return randomBytes(12).toString('hex');
}

/**
 * Makes a directory that belongs to the owner, and holds it even if another entry takes its name.
 * @throws as `mkdir` does
 */
export function makeDirectory(entry: Entry, owner: Owner | undefined): HeldDirectory {
  if (othersMayRename(entry.directory.stats())) return makeInPrivate(entry, owner);
  mkdirSync(entry.at);
  const made = HeldDirectory.open(entry.at);
  if (owner) chownSync(made.base, owner.uid, owner.gid);
  return made;
}

/**
 * Makes a directory that no other account can enter.
 * @throws as `mkdir` does; `EEXIST` if something else took its name
 */
export function makePrivateDirectory({ at }: Entry): HeldDirectory {
  mkdirSync(at, { mode: PRIVATE });
  const made = openIfDirectory(at);
  if (made && isPrivate(made.stats())) return made;
  made?.[Symbol.dispose]();
  throw Object.assign(new Error('EEXIST: something else took the name of the directory'), { code: 'EEXIST' });
}

function openIfDirectory(at: FilePath): HeldDirectory | undefined {
  try {
    return HeldDirectory.open(at);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOTDIR' || code === 'ENOENT') return undefined;
    throw error;
  }
}

function isPrivate({ uid, mode }: Stats): boolean {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o777) === PRIVATE);
}

/** Whether an account without privileges can replace entries of root in the directory. */
function othersMayRename({ uid, mode }: Stats): boolean {
  if (process.geteuid?.() !== 0) return false;
  return uid !== 0 || ((mode & 0o022) !== 0 && (mode & STICKY) === 0);
}

/** `mkdir` returns no descriptor, so that the directory is made if no other account can replace it. */
function makeInPrivate({ directory, at }: Entry, owner: Owner | undefined): HeldDirectory {
  // Of two calls with the same name one fails.
  mkdirSync(at, { mode: PRIVATE });
  const stage = directory.entry(partName(newPartId()));
  using stack = new DisposableStack();
  stack.defer(() => removeEmpty(stage.at));
  const inside = stack.use(makePrivateDirectory(stage)).at('d');
  mkdirSync(inside);
  const made = HeldDirectory.open(inside);
  try {
    if (owner) lchownSync(inside, owner.uid, owner.gid);
    renameSync(inside, at);
    return made;
  } catch (error) {
    made[Symbol.dispose]();
    removeEmpty(inside);
    removeEmpty(at);
    throw error;
  }
}

function removeEmpty(path: FilePath): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
}

import { closeSync, constants, fchownSync, mkdirSync, openSync, statSync } from 'node:fs';
import { defaultUserOnWindows, lookUpIdentity, ownIdentity } from '../account/identity.ts';
import { SandboxError } from '../errors.ts';
import { systemCodeOf } from './file-failure.ts';
import { type FilePath, parentOf, withoutTrailingSlashes } from './file-path.ts';

/** Owner of created files. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Who asked for a file operation. */
export interface Caller {
  /** An account by its name; undefined: the default one. */
  readonly user?: string | undefined;
  /** 1.x: what is created belongs to root, where the daemon is root. */
  readonly sudo?: boolean | undefined;
}

/**
 * Decides the owner of created files. The daemon reads and writes with its own privileges for every caller.
 * Undefined: nothing has to be given away, what is created is the daemon's own.
 * @throws SandboxError `invalid` where the account does not exist, `forbidden` where the daemon may give nothing away
 */
export class Ownership {
  readonly #defaultUser: string | undefined;
  readonly #platform: NodeJS.Platform;
  readonly #own = ownIdentity();

  constructor(defaultUser: string | undefined, platform: NodeJS.Platform = process.platform) {
    this.#defaultUser = defaultUser;
    this.#platform = platform;
  }

  of({ user, sudo = false }: Caller): Owner | undefined {
    if (user === undefined && sudo) return undefined;
    const name = user ?? this.#defaultUser;
    if (name === undefined) return undefined;
    if (user === undefined && this.#platform === 'win32') throw defaultUserOnWindows();
    const { name: account, uid, gid } = lookUpIdentity(name, this.#platform);
    if (uid === this.#own.uid && gid === this.#own.gid) return undefined;
    if (this.#own.uid === 0) return { uid, gid };
    throw new SandboxError('forbidden', `the daemon runs as ${this.#own.name} and can give nothing to ${account}`, {
      hint: 'leave the user out, or run the daemon as root',
    });
  }
}

/** Gives away what has just been created under this descriptor. */
export function giveDescriptor(descriptor: number, owner: Owner | undefined): void {
  if (owner) fchownSync(descriptor, owner.uid, owner.gid);
}

/**
 * Creates one directory. Its owner is set through a descriptor, so that an entry that replaces it keeps its own.
 * @throws as `mkdir` does
 */
export function makeDirectory(path: FilePath, owner: Owner | undefined, mode = 0o777): void {
  mkdirSync(path, { mode });
  if (!owner) return;
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    giveDescriptor(descriptor, owner);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Makes a directory and whatever is missing above it; each one made belongs to the owner.
 * @returns whether the directory itself was made
 * @throws as `mkdir` does; `EEXIST` where something else stands in its place
 */
export function makeDirectories(path: FilePath, owner: Owner | undefined, mode?: number): boolean {
  const target = withoutTrailingSlashes(path);
  try {
    makeDirectory(target, owner, mode);
    return true;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EEXIST' || code === 'EISDIR' || code === 'EROFS' || code === 'EACCES') {
      if (isDirectory(target)) return false;
      throw error;
    }
    if (code !== 'ENOENT' || target === '/') throw error;
  }
  makeDirectories(parentOf(target), owner);
  return makeDirectories(target, owner, mode);
}

function isDirectory(path: FilePath): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

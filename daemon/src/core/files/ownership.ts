import { fchownSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { hasKeyForFiles } from '../access/caller.ts';
import { defaultUserOnWindows, lookUpIdentity, ownIdentity } from '../account/identity.ts';

/** Owner of created files. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Who asked for a file operation. */
export interface Caller {
  /** An account by its name; undefined: the default one. */
  readonly user?: string | undefined;
  /** 1.x: what is created belongs to root, if the daemon is root. */
  readonly sudo?: boolean | undefined;
}

/**
 * Decides the owner of created files. The daemon reads and writes with its own privileges for every caller.
 * Undefined: nothing has to be given away, what is created is the daemon's own.
 * @throws SandboxError `invalid` if the account does not exist, `forbidden` if the daemon may give nothing away
 */
export class Ownership {
  readonly #defaultUser: string | undefined;
  readonly #platform: NodeJS.Platform;
  readonly #own = ownIdentity();

  constructor(defaultUser: string | undefined, platform: NodeJS.Platform = process.platform) {
    this.#defaultUser = defaultUser;
    this.#platform = platform;
  }

  /** @throws SandboxError `forbidden` if a key for files alone names an account */
  of({ user, sudo = false }: Caller): Owner | undefined {
    if (hasKeyForFiles() && (sudo || user !== undefined)) {
      throw new SandboxError('forbidden', 'a key for files alone does not choose the owner of files', {
        hint: 'leave the account out: files belong to the default account',
      });
    }
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

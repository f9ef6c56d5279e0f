import { type Stats, statSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { errnoName } from '../errno-name.ts';
import { ShellPaths } from '../files/shell-paths.ts';
import { defaultUserOnWindows, type Identity, lookUpIdentity, ownIdentity, requireRunnableAs } from './identity.ts';

/** Resolves the account and the working directory of processes that a caller starts. */
export class RunContext {
  readonly own = ownIdentity();
  readonly paths: ShellPaths;
  readonly #defaultUser: string | undefined;
  readonly #platform: NodeJS.Platform;

  constructor(defaultUser: string | undefined, platform: NodeJS.Platform = process.platform) {
    this.#defaultUser = defaultUser;
    this.#platform = platform;
    this.paths = new ShellPaths(defaultUser, platform);
  }

  /** @throws SandboxError if the account does not exist, or the daemon may not switch to it */
  identityOf(user: string | undefined): Identity {
    if (user === undefined && this.#defaultUser !== undefined && this.#platform === 'win32') {
      throw defaultUserOnWindows();
    }
    const name = user ?? this.#defaultUser;
    if (name === undefined) return this.own;
    const identity = lookUpIdentity(name, this.#platform);
    requireRunnableAs(identity, this.own);
    // A process that is not root keeps its groups, also those that the engine gave it and no file names.
    return identity.uid === this.own.uid && this.own.uid !== 0 ? this.own : identity;
  }

  /** @throws SandboxError `invalid` if it is not the absolute path of a directory */
  requireDirectory(cwd: string): string {
    if (!cwd.startsWith('/')) throw new SandboxError('invalid', `is not an absolute path: ${cwd}`, { field: 'cwd' });
    const found = statsOf(cwd);
    if (!found) throw new SandboxError('invalid', `does not exist: ${cwd}`, { field: 'cwd', hint: CWD_HINT });
    if (!found.isDirectory())
      throw new SandboxError('invalid', `is not a directory: ${cwd}`, { field: 'cwd', hint: CWD_HINT });
    return cwd;
  }

  /** The default working directory of an account. */
  homeOf({ home }: Identity): string {
    return statSync(home, { throwIfNoEntry: false })?.isDirectory() ? home : '/';
  }
}

const CWD_HINT = 'name a directory that exists, or leave cwd out for the home';

/** @throws SandboxError `invalid` for a path that the system does not accept, such as one that is too long */
function statsOf(cwd: string): Stats | undefined {
  try {
    return statSync(cwd, { throwIfNoEntry: false });
  } catch (error) {
    const code = errnoName(error);
    throw new SandboxError('invalid', `cannot be entered: ${code}`, { field: 'cwd', hint: CWD_HINT, cause: error });
  }
}

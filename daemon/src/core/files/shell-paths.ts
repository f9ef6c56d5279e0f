import { statSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { type Identity, lookUpIdentity, ownIdentity } from '../account/identity.ts';
import { invalidPath } from './file-failure.ts';
import { absolutePath, type FilePath, type PathInput } from './file-path.ts';

/** What a path of a request is relative to. */
interface PathBase {
  /** The account of `~`, and of the home that relative paths begin in; undefined: the default account. */
  readonly user?: string | undefined;
  /** Absolute directory of relative paths; undefined: the home. */
  readonly directory?: string | undefined;
}

/** Makes the paths of requests absolute, as a shell of the account does. */
export class ShellPaths {
  readonly #defaultUser: string | undefined;
  readonly #platform: NodeJS.Platform;

  constructor(defaultUser?: string, platform: NodeJS.Platform = process.platform) {
    this.#defaultUser = defaultUser;
    this.#platform = platform;
  }

  /**
   * Expands `~`, `~user` and relative paths. `..` and symbolic links stay, for the system to resolve.
   * @throws SandboxError `invalid` if an account does not exist
   */
  resolve(text: string, { user, directory }: PathBase = {}): string {
    if (text === '' || text.startsWith('/')) return text;
    if (!text.startsWith('~')) return joined(directory ?? directoryOf(this.#identityOf(user)), text);
    const [, name = '', rest = ''] = /^~([^/]*)(.*)$/s.exec(text) ?? [];
    return joined(name === '' ? this.#identityOf(user).home : this.#named(name).home, rest.replace(/^\/+/, ''));
  }

  /**
   * As `resolve`, with the checks of `absolutePath`. Paths in base64 are absolute.
   * @throws FileFailure `invalid_path`; SandboxError `invalid` if the account `user` does not exist
   */
  of({ path, base64 }: PathInput, operation: string, base: PathBase = {}): FilePath {
    if (path === undefined || base64 !== undefined) return absolutePath({ path, base64 }, operation);
    try {
      return absolutePath({ path: this.resolve(path, base) }, operation);
    } catch (error) {
      if (error instanceof UnknownHome) throw invalidPath(error.message, operation, path, error.details.hint);
      throw error;
    }
  }

  #identityOf(user: string | undefined): Identity {
    const name = user ?? (this.#platform === 'win32' ? undefined : this.#defaultUser);
    return name === undefined ? ownIdentity() : lookUpIdentity(name, this.#platform);
  }

  #named(name: string): Identity {
    try {
      return lookUpIdentity(name, this.#platform);
    } catch (error) {
      if (error instanceof SandboxError) throw new UnknownHome(name);
      throw error;
    }
  }
}

class UnknownHome extends SandboxError {
  constructor(name: string) {
    super('invalid', `no account has the name of ~${name}`, {
      hint: `use ~ for the home of the account, or ./~${name} for a file of that name`,
    });
  }
}

/** Where a shell of the account begins. */
function directoryOf({ home }: Identity): string {
  return statSync(home, { throwIfNoEntry: false })?.isDirectory() ? home : '/';
}

function joined(directory: string, given: string): string {
  let rest = given;
  while (rest === '.' || rest.startsWith('./')) rest = rest.slice(2).replace(/^\/+/, '');
  if (rest === '') return directory;
  return directory.endsWith('/') ? `${directory}${rest}` : `${directory}/${rest}`;
}

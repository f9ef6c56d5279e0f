import { posix } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { lookUpIdentity } from '../../core/account/identity.ts';
import { RunContext } from '../../core/account/run-context.ts';
import type { InitRecord } from './state/sandboxes.ts';

/** The default account of E2B's templates, which its clients name. */
const E2B_USER = 'user';

/** Accounts and paths as E2B's clients name them. */
export class Accounts {
  readonly #context: RunContext;
  readonly #init: () => InitRecord;

  constructor(defaultUser: string | undefined, platform: NodeJS.Platform, init: () => InitRecord) {
    this.#context = new RunContext(defaultUser, platform);
    this.#init = init;
  }

  /**
   * The account that a name stands for; undefined: the default one, also for `user` on a machine without that account.
   * @throws SandboxError `unauthorized` if it does not exist
   */
  userOf(name: string | undefined): string | undefined {
    const user = name || (this.#init().user ?? undefined);
    if (user === undefined || user === '') return undefined;
    try {
      lookUpIdentity(user);
      return user;
    } catch (error) {
      if (user === E2B_USER) return undefined;
      const message = `invalid username: '${user}'`;
      throw new SandboxError('unauthorized', message, { cause: error, hint: 'name an account of this machine' });
    }
  }

  /** An absolute path without `.`, `..` and a slash at the end; a relative one is below the home of the account. */
  pathOf(path: string, user: string | undefined): string {
    if (path.includes('\0')) throw new SandboxError('invalid', 'path contains NUL');
    const home = this.homeOf(user);
    const tilde = path === '~' || path.startsWith('~/') ? posix.join(home, path.slice(1)) : path;
    const joined = posix.resolve(home, tilde);
    return joined;
  }

  /** Where a program begins. */
  directoryOf(cwd: string | undefined, user: string | undefined): string {
    if (cwd !== undefined && cwd !== '') return this.pathOf(cwd, user);
    return this.#init().workdir ?? this.homeOf(user);
  }

  homeOf(user: string | undefined): string {
    return this.#context.homeOf(this.#context.identityOf(user));
  }
}

/** The account of a Basic authorization (RFC 7617) without password; undefined: none, or another scheme. */
export function basicUser(authorization: string | undefined): string | undefined {
  const [, encoded] = /^basic\s+(\S+)$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [name = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 1);
  return name === '' ? undefined : name;
}

import { statSync } from 'node:fs';
import { posix } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { type Identity, lookUpIdentity } from '../../core/account/identity.ts';
import { RunContext } from '../../core/account/run-context.ts';
import type { InitRecord } from './state/sandboxes.ts';

/** The default account of E2B's templates, which its clients name. */
export const E2B_USER = 'user';
/** Its home, which programs and prompts for E2B have in their text; a link in the images. */
const E2B_HOME = '/home/user';

/** Numbers that the name `user` stands for. */
export type NamedUser = Pick<Identity, 'uid' | 'gid'>;

/** Accounts and paths as E2B's clients name them. */
export class Accounts {
  readonly #context: RunContext;
  readonly #init: () => InitRecord;
  readonly #e2bHome: string;

  constructor(defaultUser: string | undefined, platform: NodeJS.Platform, init: () => InitRecord, e2bHome = E2B_HOME) {
    this.#e2bHome = e2bHome;
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
    if (isAccount(user)) return user;
    if (user === E2B_USER) return undefined;
    throw new SandboxError('unauthorized', `invalid username: '${user}'`, { hint: 'name an account of this machine' });
  }

  /** The account that `user` stands for; undefined on a machine that has one of that name, and for root. */
  get namedUser(): NamedUser | undefined {
    if (isAccount(E2B_USER)) return undefined;
    const account = this.#context.identityOf(undefined);
    return account.uid === 0 ? undefined : account;
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

  /** E2B's name of the home of the default account, where the machine has that name for it too. */
  homeOf(user: string | undefined): string {
    const home = this.#context.homeOf(this.#context.identityOf(user));
    return user === undefined && isSameDirectory(this.#e2bHome, home) ? this.#e2bHome : home;
  }
}

function isAccount(name: string): boolean {
  try {
    lookUpIdentity(name);
    return true;
  } catch {
    return false;
  }
}

function isSameDirectory(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => statSync(path, { throwIfNoEntry: false }));
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

/** The account of a Basic authorization (RFC 7617) without password; undefined: none, or another scheme. */
export function basicUser(authorization: string | undefined): string | undefined {
  const [, encoded] = /^basic\s+(\S+)$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [name = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 1);
  return name === '' ? undefined : name;
}

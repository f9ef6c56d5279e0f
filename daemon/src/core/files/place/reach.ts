import type { BigIntStats, Stats } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { type Identity, lookUpIdentity } from '../../account/identity.ts';
import { systemFailure } from '../file-failure.ts';
import { HeldDirectory } from './held-directory.ts';

const WRITE = 2;
const SEARCH = 1;
const STICKY = 0o1000;

type Attributes = Pick<Stats | BigIntStats, 'uid' | 'gid' | 'mode'>;

interface Account {
  readonly uid: number;
  readonly groups: readonly number[];
}

/**
 * What the accounts could change themselves whose links a path goes through. A daemon that is root changes no more
 * than that through their links, which they can plant. Judged by owner, group and mode: an access control list that
 * grants more is not taken into account.
 */
export class Reach {
  readonly #accounts: readonly Account[];
  readonly #operation: string;
  readonly #shown: string;

  /** @param linkOwners numbers of the accounts; none: nothing is refused */
  constructor(linkOwners: ReadonlySet<number>, operation: string, shown: string) {
    this.#accounts = isRoot() ? [...linkOwners].map(accountOf) : [];
    this.#operation = operation;
    this.#shown = shown;
  }

  get isLimited(): boolean {
    return this.#accounts.length > 0;
  }

  /** @throws FileFailure `permission_denied` if an account could not add, replace or remove this entry */
  requireEntry(directory: HeldDirectory, existing?: Attributes): void {
    for (const account of this.#accounts) {
      this.#require(account, canSearchTo(account, directory));
      const stats = directory.stats();
      this.#require(account, mayAccess(account, stats, WRITE) && !isKeptBySticky(account, stats, existing));
    }
  }

  /** @throws FileFailure `permission_denied` if an account could not write to this file */
  requireContent(directory: HeldDirectory, file: Attributes): void {
    for (const account of this.#accounts) {
      this.#require(account, canSearchTo(account, directory) && mayAccess(account, file, WRITE));
    }
  }

  #require({ uid }: Account, isMet: boolean): void {
    if (isMet) return;
    const hint = `the path goes through a link of account ${uid}, which cannot write there; name the target itself`;
    throw systemFailure('EACCES', this.#operation, this.#shown, hint);
  }
}

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** An account that is gone has no groups. */
function accountOf(uid: number): Account {
  const identity = identityOf(uid);
  return { uid, groups: identity?.groups ?? [] };
}

function identityOf(uid: number): Identity | undefined {
  try {
    return lookUpIdentity(String(uid));
  } catch (error) {
    if (error instanceof SandboxError) return undefined;
    throw error;
  }
}

/** By the first class that the account belongs to (path_resolution(7)); an owner could change the mode. */
function mayAccess({ uid, groups }: Account, stats: Attributes, bit: number): boolean {
  if (Number(stats.uid) === uid) return true;
  const shift = groups.includes(Number(stats.gid)) ? 3 : 0;
  return ((Number(stats.mode) >> shift) & bit) !== 0;
}

/** Whether the sticky bit keeps the entry from others than its owner and that of the directory (unlink(2)). */
function isKeptBySticky({ uid }: Account, directory: Attributes, existing: Attributes | undefined): boolean {
  const isSticky = (Number(directory.mode) & STICKY) !== 0;
  return isSticky && existing !== undefined && Number(existing.uid) !== uid && Number(directory.uid) !== uid;
}

/** Whether the account can reach the directory from the root. */
function canSearchTo(account: Account, directory: HeldDirectory): boolean {
  if (!mayAccess(account, directory.stats(), SEARCH)) return false;
  using parent = HeldDirectory.open(directory.at('..'));
  return parent.isSame(directory) || canSearchTo(account, parent);
}

import { readFileSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { OptionError } from '@sandbox/program/options.ts';

/** An account, with the attributes of a process that runs as it. */
export interface Identity {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** Supplementary groups; `gid` is among them. */
  readonly groups: readonly number[];
  readonly home: string;
  readonly shell: string;
}

/**
 * The account of that name, or of that decimal uid, by /etc/passwd and /etc/group as they are now,
 * and those of libnss-extrausers.
 * Where there are no such files, the daemon's own account only.
 * @throws SandboxError `invalid` if the account does not exist, and for any name on Windows
 */
export function lookUpIdentity(name: string, platform: NodeJS.Platform = process.platform): Identity {
  if (platform === 'win32') {
    throw new SandboxError('invalid', 'cannot be chosen on Windows', { field: 'user', hint: 'leave the user out' });
  }
  const identity = platform === 'linux' ? findAccount(name) : ownIf(name);
  if (identity !== undefined) return identity;
  throw new SandboxError('invalid', `user does not exist: ${name}`, {
    hint: 'name an account of the container, or leave the user out',
  });
}

/**
 * The account of the daemon, with HOME as its home, as for other programs in the same environment. A uid without an
 * account (a container started with an arbitrary uid) is named by its number.
 */
export function ownIdentity(): Identity {
  const uid = process.getuid?.() ?? -1;
  const gid = process.getgid?.() ?? -1;
  const groups = [...new Set([gid, ...(process.getgroups?.() ?? [])])];
  try {
    const { username, shell } = userInfo();
    return { name: username, uid, gid, groups, home: homedir(), shell: shell ?? '/bin/sh' };
  } catch {
    return { name: String(uid), uid, gid, groups, home: homedir(), shell: '/bin/sh' };
  }
}

/** @throws OptionError if SVC_DEFAULT_USER names no account of this machine; on Windows each call says so */
export function requireDefaultUser(name: string | undefined, platform: NodeJS.Platform = process.platform): void {
  if (name === undefined || platform === 'win32') return;
  const exists = platform === 'linux' ? findAccount(name) !== undefined : ownIf(name) !== undefined;
  if (!exists) throw new OptionError(`SVC_DEFAULT_USER (--default-user): no such account, got ${JSON.stringify(name)}`);
}

/** A process or a file on Windows, if SVC_DEFAULT_USER would apply. */
export function defaultUserOnWindows(): SandboxError {
  return new SandboxError('unavailable', 'SVC_DEFAULT_USER has no effect on Windows', {
    hint: 'start the daemon without SVC_DEFAULT_USER',
  });
}

/** Names of the account and the group of these numbers, if they exist. */
export function accountNames(uid: number, gid: number): { user: string | undefined; group: string | undefined } {
  if (process.platform !== 'linux')
    return { user: ownIdentity().uid === uid ? ownIdentity().name : undefined, group: undefined };
  return { user: nameOfNumber(passwd, uid), group: nameOfNumber(groups, gid) };
}

function nameOfNumber(file: Records, id: number): string | undefined {
  const text = String(id);
  return file.records().find(([, , number]) => number === text)?.[0];
}

/** Whether processes of `a` and of `b` have the same privileges. */
export function sameRights(a: Identity, b: Identity): boolean {
  const groups = new Set(b.groups);
  return (
    a.uid === b.uid && a.gid === b.gid && a.groups.length === groups.size && a.groups.every((gid) => groups.has(gid))
  );
}

/**
 * Root runs commands as every account, any other daemon as itself.
 * @throws SandboxError `forbidden`
 */
export function requireRunnableAs(identity: Identity, own: Identity = ownIdentity()): void {
  if (own.uid === 0 || own.uid === identity.uid) return;
  throw new SandboxError('forbidden', `the daemon runs as ${own.name} and cannot run commands as ${identity.name}`, {
    hint: 'leave the user out, or run the daemon as root',
  });
}

function ownIf(name: string): Identity | undefined {
  const own = ownIdentity();
  return name === own.name || name === String(own.uid) ? own : undefined;
}

function findAccount(name: string): Identity | undefined {
  const fields =
    passwd.records().find(([account]) => account === name) ??
    (/^\d+$/.test(name) ? passwd.records().find(([, , uid]) => uid === name) : undefined);
  if (fields === undefined) return undefined;
  const [account = '', , uid, gid, , home, shell] = fields;
  const own = Number(gid);
  const member = groups.records().filter(([, , , members = '']) => members.split(',').includes(account));
  return {
    name: account,
    uid: Number(uid),
    gid: own,
    groups: [...new Set([own, ...member.map(([, , id]) => Number(id))])],
    home: home || '/',
    shell: shell || '/bin/sh',
  };
}

/** Files of colon-separated records, read again when one was changed or replaced. The first entry of a name counts. */
class Records {
  readonly #paths: readonly string[];
  #version = '';
  #records: string[][] = [];

  constructor(...paths: string[]) {
    this.#paths = paths;
  }

  records(): readonly (readonly string[])[] {
    const stats = this.#paths.map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
    const version = stats.map((stat) => stat && `${stat.ino}:${stat.size}:${stat.mtimeNs}`).join(' ');
    if (version !== this.#version) {
      const present = this.#paths.filter((_, index) => stats[index] !== undefined);
      const lines = present.flatMap((path) => readFileSync(path, 'utf8').split('\n'));
      this.#records = lines.map((line) => line.split(':')).filter((fields) => fields.length > 3);
      this.#version = version;
    }
    return this.#records;
  }
}

// The second ones are those of libnss-extrausers: in the image, the entry of a container that runs with any user id.
const passwd = new Records('/etc/passwd', '/var/lib/extrausers/passwd');
const groups = new Records('/etc/group', '/var/lib/extrausers/group');

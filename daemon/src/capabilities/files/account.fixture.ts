import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Identity, lookUpIdentity } from '../../core/account/identity.ts';

/** The kinds of exchange of `swapper.fixture.ts`. */
export type Swap = 'directory' | 'file' | 'made' | 'part-by-link' | 'part-by-fifo';

const SWAPPER = fileURLToPath(import.meta.resolve('./swapper.fixture.ts'));

/** A directory of an account beside one of root. The tests run as root. */
export class Homes implements AsyncDisposable {
  readonly base = mkdtempSync(join(tmpdir(), 'sandboxd-account-'));
  readonly home = join(this.base, 'home');
  readonly outside = join(this.base, 'outside');
  readonly account: Identity;
  readonly #swappers: ChildProcess[] = [];

  /** @param account name of the owner of the directory, and of what exchanges names in it */
  constructor(account = 'nobody') {
    this.account = lookUpIdentity(account);
    chmodSync(this.base, 0o755);
    mkdirSync(join(this.outside, 'tree'), { recursive: true });
    for (const name of ['kept', 'tree/kept']) writeFileSync(join(this.outside, name), 'kept');
    writeFileSync(join(this.outside, 'setuid'), 'program');
    chmodSync(join(this.outside, 'setuid'), 0o4755);
    mkdirSync(this.home);
    this.give(this.home);
  }

  /** Makes the entry the account's. */
  give(path: string): void {
    lchownSync(path, this.account.uid, this.account.gid);
  }

  /** A link of the account in its directory. */
  plant(name: string, target: string): string {
    const path = join(this.home, name);
    symlinkSync(target, path);
    this.give(path);
    return path;
  }

  /** A file of the account in its directory. */
  file(name: string, content = 'own'): string {
    const path = join(this.home, name);
    writeFileSync(path, content);
    chownSync(path, this.account.uid, this.account.gid);
    return path;
  }

  directory(name: string): string {
    const path = join(this.home, name);
    mkdirSync(path);
    this.give(path);
    return path;
  }

  /** Owner, mode and content of all that is root's. */
  state(): string[] {
    const names = readdirSync(this.outside, { recursive: true, encoding: 'utf8' });
    return ['.', ...names].sort().map((name) => {
      const path = join(this.outside, name);
      const stats = lstatSync(path);
      const content = stats.isFile() ? readFileSync(path, 'latin1').slice(0, 40) : '';
      return `${name} ${stats.uid}:${stats.gid} ${stats.mode.toString(8)} ${content}`;
    });
  }

  /** The content of all files of the account; call it when nothing exchanges names any more. */
  contents(): string[] {
    const home = realpathSync(this.home);
    // The directories of links are read too.
    const isOwn = (path: string): boolean => `${realpathSync(path)}/`.startsWith(`${home}/`);
    return readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && isOwn(entry.parentPath))
      .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'));
  }

  /** Exchanges names as the account until this object is disposed. */
  async swap(kind: Swap): Promise<void> {
    const args = [SWAPPER, kind, this.home, this.outside, String(this.account.uid)];
    const swapper = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#swappers.push(swapper);
    await once(swapper.stdout, 'data');
  }

  /** Ends what exchanges names. */
  async rest(): Promise<void> {
    for (const swapper of this.#swappers.splice(0)) {
      const ended = once(swapper, 'exit');
      if (swapper.kill('SIGKILL')) await ended;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rest();
    rmSync(this.base, { recursive: true, force: true });
  }
}

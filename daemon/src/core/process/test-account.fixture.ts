import { execFileSync } from 'node:child_process';
import { type Identity, lookUpIdentity } from '../account/identity.ts';

/** An account of this system for one test, removed with it. Making one needs root. */
export class TestAccount implements Disposable {
  readonly identity: Identity;

  /** @param name unique on this system @param groups further groups, which exist */
  constructor(name: string, groups: readonly string[] = []) {
    execFileSync('useradd', ['--no-create-home', ...(groups.length > 0 ? ['--groups', groups.join()] : []), name]);
    this.identity = lookUpIdentity(name);
  }

  [Symbol.dispose](): void {
    // By force: processes of this account may still be ending.
    execFileSync('userdel', ['--force', this.identity.name], { stdio: 'ignore' });
  }
}

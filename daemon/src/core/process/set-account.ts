import type { Identity } from '../account/identity.ts';

/**
 * The command line that runs another one as an account. By setpriv, because Node's `uid` and `gid` drop the
 * supplementary groups, and with the groups by number, so that they are the identity's whatever its name resolves to.
 */
export function asAccount({ uid, gid, groups }: Identity, command: readonly string[]): [string, ...string[]] {
  return ['/usr/bin/setpriv', `--reuid=${uid}`, `--regid=${gid}`, `--groups=${groups.join(',')}`, '--', ...command];
}

import { type Identity, sameRights } from '../account/identity.ts';
import { StartFailure } from './process-host.ts';

/**
 * The account that a process has to switch to; undefined if it runs as the daemon (`own`) does.
 * @throws StartFailure if the daemon cannot run anything as that account
 */
export function runnerOf(identity: Identity | undefined, own: Identity): Identity | undefined {
  if (identity === undefined || sameRights(identity, own)) return undefined;
  if (own.uid === 0) return identity;
  if (own.uid === identity.uid) return undefined;
  throw new StartFailure(`the daemon runs as ${own.name} and cannot run commands as ${identity.name}`, 126);
}

import type { Identity } from '../account/identity.ts';
import { errnoName } from '../errno-name.ts';
import { StartFailure } from './process-host.ts';

const REASONS: Readonly<Record<string, string>> = {
  E2BIG: 'argument list too long',
  EAGAIN: 'no more processes can be started',
  ENOMEM: 'out of memory',
  EMFILE: 'the daemon has too many open files',
  ENFILE: 'the system has too many open files',
  ENOSPC: 'no space left in the runtime directory',
  EDQUOT: 'no space left in the runtime directory',
  EROFS: 'the runtime directory is read-only',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOEXEC: 'not a program of this system',
  ENAMETOOLONG: 'name too long',
  ETXTBSY: 'the program is being written',
  ERR_INVALID_ARG_VALUE: 'an argument, a variable or a path contains a NUL',
};

/** A failure after program and directory were found, in words for the caller. */
export function startFailure(error: unknown, program: string, runner: Identity | undefined): StartFailure {
  if (error instanceof StartFailure) return error;
  const errno = errnoName(error);
  if (errno === 'ENOENT') return missing(error, program, runner);
  return new StartFailure(`cannot start ${program}: ${REASONS[errno] ?? messageOf(error)}`, 126, error);
}

/** The program exists, so its interpreter or setpriv is missing. */
function missing(error: unknown, program: string, runner: Identity | undefined): StartFailure {
  if (runner === undefined) return new StartFailure(`interpreter of ${program} not found`, 126, error);
  const message = `setpriv (util-linux) is needed to run commands as ${runner.name} and was not found`;
  return new StartFailure(message, 126, error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import { getSystemErrorName } from 'node:util';
import { SandboxError } from '../../errors.ts';
import { StartFailure } from '../process-host.ts';
import { startFailure } from '../start-failure.ts';
import { SILENT_HINT, SilentKeeper } from './keeper-connection.ts';

/** FAILED of `docs/keeper.md`. */
const STAGE = { held: 1, account: 6, cwd: 7 } as const;

/** The failure that a FAILED frame describes, in words for the caller. */
export function keeperFailure(stage: number, errno: number, program: string, cwd: string): StartFailure {
  const code = getSystemErrorName(-errno);
  if (stage === STAGE.cwd) {
    return new StartFailure(code === 'EACCES' ? `no permission to enter cwd: ${cwd}` : `cannot enter cwd: ${cwd}`, 126);
  }
  if (stage === STAGE.account)
    return new StartFailure(`the daemon may not run commands as that account (${code})`, 126);
  if (stage === STAGE.held && code === 'ESHUTDOWN') return new StartFailure('the process keeper is ending', 126);
  return startFailure(Object.assign(new Error(code), { code }), program, undefined);
}

/** The start was not sent: the call may be repeated. */
export function refuse(error: unknown): never {
  throw new SandboxError('unavailable', error instanceof Error ? error.message : String(error), {
    hint:
      error instanceof SilentKeeper
        ? SILENT_HINT
        : 'the process keeper has to run for commands to be started; sandboxd doctor says what is missing',
    cause: error,
  });
}

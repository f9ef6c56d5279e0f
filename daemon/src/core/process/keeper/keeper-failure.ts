import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { nameOfErrno } from '../../errno-name.ts';
import { StartFailure } from '../process-host.ts';
import { startFailure } from '../start-failure.ts';
import { SILENT_HINT, SilentKeeper } from './keeper-connection.ts';
import type { FrameReader } from './keeper-frames.ts';

/** FAILED: no process has this id. */
export interface Failed {
  readonly id: string;
  readonly stage: number;
  readonly errno: number;
}

export function readFailed(frame: FrameReader): Failed {
  return { id: frame.text(), stage: frame.u8(), errno: frame.u32() };
}

/** Stages of `docs/keeper.md`. */
const STAGE = { held: 1, account: 6, cwd: 7 } as const;

/** Why no process was handed over under a reserved id, by errno. */
const NOT_ADOPTED: Readonly<Record<string, string>> = {
  ESRCH: 'the process that would fork it does not run, or was not started to fork others',
  ECHILD: 'the process that would fork it has ended',
  EPIPE: 'the process that would fork it has closed its socket to the keeper, or sent a message other than ADOPT',
  ETIMEDOUT: 'the process that would fork it did not do so in time',
  ECANCELED: 'the reserved id was given up',
  EEXIST: 'a process of that id is held already',
  ESHUTDOWN: 'the process keeper is ending',
};

/** A FAILED of an id that was reserved. */
export function adoptionFailure(errno: number): StartFailure {
  const code = nameOfErrno(errno);
  return new StartFailure(NOT_ADOPTED[code] ?? `the process could not be taken over: ${code}`, 126);
}

/** The failure that a FAILED frame describes, in words for the caller. */
export function keeperFailure(stage: number, errno: number, program: string, cwd: string): StartFailure {
  const code = nameOfErrno(errno);
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

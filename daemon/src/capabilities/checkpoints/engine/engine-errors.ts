import { constants } from 'node:os';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { errnoName, nameOfErrno } from '../../../core/errno-name.ts';
import { TreeFailure } from '../../../core/process/tree/tree-helper.ts';
import { DamagedBlob } from '../store/blob-store.ts';
import { callLeft } from './call-queue.ts';
import type { Captured } from './capture.ts';
import type { EngineTerms, OutPath } from './engine-protocol.ts';

/** The failure of a call in the words of the domain; an error that is a defect is returned unchanged. */
export function engineFailure(error: unknown, full: SandboxError): unknown {
  if (error instanceof DamagedBlob) {
    return new SandboxError('io', error.message, {
      hint: 'delete the checkpoints that need it; what other checkpoints have is not concerned',
      cause: error,
    });
  }
  if (!(error instanceof TreeFailure)) return error;
  const failure = FAILURES[error.what];
  if (error.what === 'stored') return full;
  if (error.what === 'root') return rootFailure(error);
  return failure ? failure(error) : error;
}

const FULL: readonly number[] = [constants.errno.ENOSPC, constants.errno.EDQUOT];

const FAILURES: Readonly<Record<string, (error: TreeFailure) => SandboxError>> = {
  account: (cause) =>
    new SandboxError('forbidden', 'the daemon cannot run programs as this account', {
      hint: 'leave the user out, or run the daemon as root',
      cause,
    }),
  entries: (cause) =>
    new SandboxError('too_large', 'the directory has more than 1,000,000 entries', {
      hint: 'name a directory below it, or leave directories out with exclude',
      cause,
    }),
  left: () => callLeft(),
  silence: (cause) =>
    new SandboxError('unavailable', cause.message, { hint: 'a mount may be hung; leave it out with exclude', cause }),
  store: (cause) =>
    FULL.includes(cause.errno)
      ? new SandboxError('disk_full', 'the file system of the checkpoints is full', {
          hint: 'delete files or checkpoints, then repeat the call',
          cause,
        })
      : new SandboxError('io', `contents cannot be stored: ${nameOfErrno(cause.errno)}`, { cause }),
};

function rootFailure(cause: TreeFailure): SandboxError {
  const code = nameOfErrno(cause.errno);
  const kind = code === 'ENOENT' ? 'not_found' : code === 'ENOTDIR' ? 'invalid' : 'forbidden';
  const hint = kind === 'forbidden' ? 'use an account that may read it (user)' : 'name a directory that exists';
  return new SandboxError(kind, `the directory cannot be opened: ${code}`, { hint, cause });
}

/** Numbers of errno(3) by their names. */
export function outPaths(paths: readonly { readonly path: string; readonly reason: number | string }[]): OutPath[] {
  return paths.map(({ path, reason }) => ({
    path,
    reason: typeof reason === 'number' ? nameOfErrno(reason) : reason,
  }));
}

/** Of a file system of the kernel, or a directory that was removed or closed since it was opened. */
export function notListed({ leftOut }: Pick<Captured, 'leftOut'>): SandboxError {
  const [root] = outPaths(leftOut.filter(({ path }) => path === ''));
  return new SandboxError('invalid', `cannot be listed: ${root?.reason ?? 'ENOENT'}`, {
    field: 'path',
    hint: 'name a directory with files of its own, not one of /proc or /sys',
  });
}

export function diskFull(directory: string, cause: unknown): SandboxError {
  return new SandboxError(
    'disk_full',
    `the file system of the checkpoints is full (${errnoName(cause)}): ${directory}`,
    {
      hint: 'delete files or checkpoints, then repeat the call',
      cause,
    },
  );
}

export function storeFull({ maxBytes }: Pick<EngineTerms, 'maxBytes'>): SandboxError {
  return new SandboxError('capacity', `the checkpoints would take more than ${maxBytes} bytes`, {
    hint: 'delete checkpoints, exclude what need not be kept, or raise SVC_CHECKPOINTS_MAX_BYTES',
  });
}

/** Checkpoints of a store. */
export const CHECKPOINTS_MAX = 10_000;

export function tooMany(): SandboxError {
  return new SandboxError('capacity', `there are ${CHECKPOINTS_MAX} checkpoints`, {
    hint: 'delete some: DELETE /v2/checkpoints/{id}',
  });
}

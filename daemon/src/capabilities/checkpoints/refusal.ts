import { SandboxError } from '@sandbox/api/sandbox-error.ts';

/** The options of the capability. */
export interface CheckpointTerms {
  readonly checkpoints: 'off' | 'manual' | 'auto';
  readonly checkpointsMaxBytes: number;
}

/** Why no checkpoint can be taken; undefined if they can. */
export function refusalOf({ checkpoints }: CheckpointTerms, hasProgram: boolean): SandboxError | undefined {
  if (checkpoints === 'off') {
    return new SandboxError('unsupported', 'checkpoints are off', {
      hint: 'start the service with SVC_CHECKPOINTS=manual',
    });
  }
  if (hasProgram) return undefined;
  return new SandboxError('unsupported', 'checkpoints need the program keeper-tree, which was not built', {
    hint: 'install a C compiler (apt-get install gcc libc6-dev) and start again, or run the image',
  });
}

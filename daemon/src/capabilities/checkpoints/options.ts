import { named } from '@sandbox/program/options.ts';
import { z } from 'zod';

const MODES = ['off', 'manual', 'auto'] as const;

export const CheckpointOptions = {
  checkpoints: named(z.enum(MODES, { error: `expected one of ${MODES.join(', ')}` }).default('manual'), {
    env: 'SVC_CHECKPOINTS',
    flag: 'checkpoints',
    description:
      'Checkpoints of directories. manual: by calls. auto: also before commands, cells and changes of files. off: the calls answer 501.',
  }),
  checkpointsMaxBytes: named(z.coerce.number().int().min(1_048_576).max(1e15).default(10_737_418_240), {
    env: 'SVC_CHECKPOINTS_MAX_BYTES',
    flag: 'checkpoints-max-bytes',
    description: 'Bytes of all checkpoints below SVC_RUNTIME_DIR; a checkpoint beyond them answers 429.',
  }),
} as const;

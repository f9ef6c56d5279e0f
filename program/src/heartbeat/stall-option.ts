import type { z } from 'zod';
import { named, seconds } from '../options.ts';

/** The option with the seconds without a beat after which the parent of a service restarts it. */
export function stallSeconds(): z.ZodType<number> {
  const schema = seconds(0, 3600).refine((n) => n === 0 || n >= 1, 'expected 0, or seconds from 1 to 3600');
  return named(schema.default(10), {
    env: 'SVC_STALL_SECONDS',
    flag: 'stall-seconds',
    description:
      'Seconds without a turn of its main loop after which a service is killed and started again, by npm start and in ' +
      'the image; 0: never.',
  });
}

import { z } from 'zod';
import { LOG_LEVELS, type LogLevel } from './logger.ts';
import { boolean, named } from './options.ts';

/** The option with the least level of what a service logs. */
export function logLevel(): z.ZodType<LogLevel> {
  return named(z.enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` }).default('info'), {
    env: 'LOG_LEVEL',
    flag: 'log-level',
    description: `One of ${LOG_LEVELS.join(', ')}.`,
  });
}

/** The option of a service with schemas of its answers. */
export function validateResponses(): z.ZodType<boolean> {
  return named(boolean().default(false), {
    env: 'SVC_VALIDATE_RESPONSES',
    flag: 'validate-responses',
    description: 'Check every JSON answer against its schema, as the tests do; slower.',
  });
}

import { z } from 'zod';
import { ACCESS_LOGS, type AccessLog } from './access-lines.ts';
import { LOG_LEVELS, type LogLevel } from './logger.ts';
import { boolean, named, wholeNumber } from './options.ts';

export const CONNECTIONS_PER_ADDRESS = 'SVC_CONNECTIONS_PER_ADDRESS';

/** The option with the least level of what a service logs. */
export function logLevel(): z.ZodType<LogLevel> {
  return named(z.enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` }).default('info'), {
    env: 'LOG_LEVEL',
    flag: 'log-level',
    description: `One of ${LOG_LEVELS.join(', ')}.`,
  });
}

/** The option with the requests that have a line of the log. */
export function accessLog(): z.ZodType<AccessLog> {
  return named(z.enum(ACCESS_LOGS, { error: `expected one of ${ACCESS_LOGS.join(', ')}` }).default('errors'), {
    env: 'SVC_ACCESS_LOG',
    flag: 'access-log',
    description: 'Requests with a line of the log: off, errors (answered with 400 or more, or not at all) or all.',
  });
}

/** The option of the gateway that `sandboxd doctor` reports too. */
export function connectionsPerAddress(): z.ZodType<number> {
  return named(wholeNumber(0, 4096).default(512), {
    env: CONNECTIONS_PER_ADDRESS,
    flag: 'connections-per-address',
    description:
      'Open connections of one address without a valid credential; 0: no limit. ' +
      'Addresses listed in SVC_TRUSTED_PROXIES are exempt, the word loopback exempts none.',
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

import { named, type OptionValues, seconds, wholeNumber } from '@sandbox/program/options.ts';

const MIB = 1024 ** 2;

export const CommandsOptions = {
  commandMaxRunning: named(wholeNumber(1, 100_000).default(256), {
    env: 'SVC_COMMAND_MAX_RUNNING',
    flag: 'command-max-running',
    description: 'Commands that run at once; the next one gets 429.',
  }),
  commandMaxSessions: named(wholeNumber(1, 100_000).default(256), {
    env: 'SVC_COMMAND_MAX_SESSIONS',
    flag: 'command-max-sessions',
    description: 'Command sessions with a name from the caller; the next one gets 429.',
  }),
  commandMaxRecords: named(wholeNumber(1, 1_000_000).default(1000), {
    env: 'SVC_COMMAND_MAX_RECORDS',
    flag: 'command-max-records',
    description: 'Ended commands that are kept: those that ended last.',
  }),
  commandRetentionSeconds: named(seconds(1, 31_536_000).default(3600), {
    env: 'SVC_COMMAND_RETENTION_SECONDS',
    flag: 'command-retention-seconds',
    description: 'Seconds that an ended command and its output are kept.',
  }),
  commandOutputMaxBytes: named(wholeNumber(65_536, Number.MAX_SAFE_INTEGER).default(64 * MIB), {
    env: 'SVC_COMMAND_OUTPUT_MAX_BYTES',
    flag: 'command-output-max-bytes',
    description: 'Bytes of each output stream kept on disk; the oldest are dropped first.',
  }),
  outputTotalMaxBytes: named(wholeNumber(65_536, Number.MAX_SAFE_INTEGER).default(2048 * MIB), {
    env: 'SVC_OUTPUT_TOTAL_MAX_BYTES',
    flag: 'output-total-max-bytes',
    description: 'Bytes of output kept on disk in total; the oldest ended commands are removed first.',
  }),
} as const;

export type CommandsOptions = OptionValues<typeof CommandsOptions>;

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { LOG_LEVELS } from '@sandbox/program/logger.ts';
import {
  boolean,
  list,
  named,
  OptionError,
  port,
  readOptions,
  seconds,
  wholeNumber,
} from '@sandbox/program/options.ts';
import { trustedProxies } from '@sandbox/program/trusted-proxies.ts';
import { z } from 'zod';

const MIB = 1024 ** 2;
const SHELL_BACKENDS = ['native', 'tmux', 'auto'] as const;
const START_MODES = ['async', 'auto', 'manual'] as const;
const PROCESS_HOSTS = ['auto', 'keeper', 'supervised', 'portable'] as const;

/** Every option of the daemon. `--help`, the README's table and the checks at boot come from here. */
export const DaemonOptions = z.object({
  host: named(z.string().default('127.0.0.1'), {
    env: 'SVC_HOST',
    flag: 'host',
    description: 'Address the daemon listens on.',
  }),
  port: named(port().default(8091), { env: 'SVC_PORT', flag: 'port', description: 'Port the daemon listens on.' }),
  apiKey: named(
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'expected visible ASCII characters')
      .optional(),
    {
      env: 'SVC_API_KEY',
      aliases: ['SANDBOX_API_KEY'],
      flag: 'api-key',
      description:
        'Key that every request except the public ones requires. Unset: open to anyone who can reach the service.',
      secret: true,
    },
  ),
  apiKeyFile: named(z.string().optional(), {
    env: 'SVC_API_KEY_FILE',
    flag: 'api-key-file',
    description: 'File with the key, used if the key itself is not set.',
  }),
  defaultUser: named(z.string().optional(), {
    env: 'SVC_DEFAULT_USER',
    flag: 'default-user',
    description: 'Account that commands run as unless the call names one. Unset: the account of the daemon.',
  }),
  runtimeDir: named(z.string().startsWith('/', 'expected an absolute path').default(defaultRuntimeDir()), {
    env: 'SVC_RUNTIME_DIR',
    flag: 'runtime-dir',
    description: 'Private directory (mode 0700) for records, output and sockets.',
  }),
  processHost: named(z.enum(PROCESS_HOSTS, { error: `expected one of ${PROCESS_HOSTS.join(', ')}` }).default('auto'), {
    env: 'SVC_PROCESS_HOST',
    flag: 'process-host',
    description:
      'Holder of commands. keeper: a separate process, so that they outlive the daemon. supervised: a keeper that a ' +
      'supervisor starts and the daemon waits for. portable: the daemon itself. auto: the keeper if it was built.',
  }),
  keeperProgram: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'SVC_KEEPER_PROGRAM',
    flag: 'keeper-program',
    description: "Path of the keeper's program. Unset: the one built with the daemon.",
  }),
  allowedHosts: named(list().default([]), {
    env: 'SVC_ALLOWED_HOSTS',
    flag: 'allowed-hosts',
    description:
      'Host names accepted without a key, besides IP addresses, dotless names and *.localhost; comma separated. ' +
      'The * of *.name and *-name matches within one label.',
  }),
  allowedOrigins: named(list().default([]), {
    env: 'SVC_ALLOWED_ORIGINS',
    flag: 'allowed-origins',
    description: 'Web origins (https://app.example) with pages that may call the service; comma separated.',
  }),
  trustedProxies: named(trustedProxies().default(['loopback']), {
    env: 'SVC_TRUSTED_PROXIES',
    flag: 'trusted-proxies',
    description: 'Addresses and networks of proxies with trusted X-Forwarded-* headers; comma separated.',
  }),
  stopGraceSeconds: named(seconds(0, 600).default(2), {
    env: 'SVC_STOP_GRACE_SECONDS',
    flag: 'stop-grace-seconds',
    description: 'Seconds between SIGTERM and SIGKILL of running commands when the daemon stops.',
  }),
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
    description: 'Ended commands that are kept, newest first.',
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
  ptyHistoryBytes: named(wholeNumber(65_536, Number.MAX_SAFE_INTEGER).default(10 * MIB), {
    env: 'SVC_PTY_HISTORY_BYTES',
    flag: 'pty-history-bytes',
    description: 'Bytes of output of each terminal kept on disk; the oldest are dropped first.',
  }),
  shellBackend: named(
    z.enum(SHELL_BACKENDS, { error: `expected one of ${SHELL_BACKENDS.join(', ')}` }).default('native'),
    {
      env: 'SVC_SHELL_BACKEND',
      flag: 'shell-backend',
      description:
        'Holder of terminals. native: the process host; tmux: a tmux session each; auto: tmux if it is on PATH.',
    },
  ),
  shellMaxSessions: named(wholeNumber(1, 10_000).default(20), {
    env: 'SVC_SHELL_MAX_SESSIONS',
    flag: 'shell-max-sessions',
    description: 'Terminal sessions that are open at once; the next one gets 429 if none can be evicted.',
  }),
  shellSessionTimeout: named(seconds(1, 31_536_000).default(3600), {
    env: 'SVC_SHELL_SESSION_TIMEOUT',
    flag: 'shell-session-timeout',
    description: 'Seconds after which an idle terminal session without an id from the caller is closed.',
  }),
  browserStartMode: named(
    z.enum(START_MODES, { error: `expected one of ${START_MODES.join(', ')}` }).default('async'),
    {
      env: 'BROWSER_START_MODE',
      flag: 'browser-start-mode',
      description:
        'auto: /ready waits for the browser. async, manual: it does not. The images also start the browser by this.',
    },
  ),
  browserHost: named(z.string().default('127.0.0.1'), {
    env: 'BROWSER_REMOTE_DEBUGGING_HOST',
    flag: 'browser-remote-debugging-host',
    description: "Host of the browser's DevTools.",
  }),
  browserPort: named(wholeNumber(1, 65_535).default(9222), {
    env: 'BROWSER_REMOTE_DEBUGGING_PORT',
    flag: 'browser-remote-debugging-port',
    description: "Port of the browser's DevTools.",
  }),
  watchMaxWatchers: named(wholeNumber(1, 10_000).default(128), {
    env: 'SVC_WATCH_MAX_WATCHERS',
    flag: 'watch-max-watchers',
    description: 'Watchers of files at once; the next one gets 429.',
  }),
  searchTimeoutSeconds: named(seconds(0.1, 3600).default(60), {
    env: 'SVC_SEARCH_TIMEOUT_SECONDS',
    flag: 'search-timeout-seconds',
    description: 'Seconds after which a search in files ends with the results so far.',
  }),
  jwtPublicKey: named(z.string().optional(), {
    env: 'JWT_PUBLIC_KEY',
    flag: 'jwt-public-key',
    description: 'Option of 1.x without effect. If SVC_API_KEY is unset, the service is open and logs a warning.',
    secret: true,
  }),
  validateResponses: named(boolean().default(false), {
    env: 'SVC_VALIDATE_RESPONSES',
    flag: 'validate-responses',
    description: 'Check every JSON answer against its schema, as the tests do; slower.',
  }),
  logLevel: named(z.enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` }).default('info'), {
    env: 'LOG_LEVEL',
    flag: 'log-level',
    description: `One of ${LOG_LEVELS.join(', ')}.`,
  }),
});

export type Config = z.infer<typeof DaemonOptions>;

/**
 * The daemon's configuration; the only place that reads the environment.
 * @throws OptionError in one line that names the wrong option
 */
export function readConfig(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const config = readOptions(DaemonOptions, argv, env);
  if (config.apiKey !== undefined || config.apiKeyFile === undefined) return config;
  return { ...config, apiKey: keyFromFile(config.apiKeyFile) };
}

/** The daemon's own environment; commands get it without the product's own variables. */
export function inheritedEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

function keyFromFile(path: string): string {
  const named = `SVC_API_KEY_FILE (--api-key-file): ${path}`;
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new OptionError(
      `${named} cannot be read (${error instanceof Error && 'code' in error ? error.code : error})`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(text)) throw new OptionError(`${named} holds no key: expected one line of visible ASCII`);
  return text;
}

/** A private directory of the user that survives a restart. */
function defaultRuntimeDir(): string {
  const state = process.env['XDG_STATE_HOME'];
  return join(state?.startsWith('/') ? state : join(homedir(), '.local', 'state'), 'sandboxd');
}

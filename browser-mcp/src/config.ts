import { LOG_LEVELS, type LogLevel } from '@sandbox/program/logger.ts';
import { boolean, named, readOptions, seconds, wholeNumber } from '@sandbox/program/options.ts';
import { z } from 'zod';

export const BrowserMcpOptions = z.object({
  port: named(wholeNumber(0, 65_535).default(8100), {
    env: 'MCP_SERVER_BROWSER_PORT',
    flag: 'port',
    description: 'Port on 127.0.0.1; 0 selects a free one.',
  }),
  listenFd: named(wholeNumber(3, 1023).optional(), {
    env: 'BROWSER_MCP_LISTEN_FD',
    flag: 'listen-fd',
    description: 'Descriptor of a listening socket, which replaces the port.',
  }),
  browserHost: named(z.string().default('127.0.0.1'), {
    env: 'BROWSER_REMOTE_DEBUGGING_HOST',
    flag: 'browser-host',
    description: "Host of the browser's DevTools.",
  }),
  browserPort: named(wholeNumber(1, 65_535).default(9222), {
    env: 'BROWSER_REMOTE_DEBUGGING_PORT',
    flag: 'browser-port',
    description: "Port of the browser's DevTools.",
  }),
  outputDir: named(z.string().startsWith('/', 'expected an absolute path').default('/tmp/browser-mcp'), {
    env: 'BROWSER_MCP_OUTPUT_DIR',
    flag: 'output-dir',
    description: 'Directory of files that tools write without a name, such as long snapshots.',
  }),
  idleSeconds: named(seconds(1, 86_400).default(600), {
    env: 'BROWSER_MCP_IDLE_SECONDS',
    flag: 'idle-seconds',
    description: 'The server ends after this time without a request.',
  }),
  callSeconds: named(seconds(1, 3_600).default(180), {
    env: 'BROWSER_MCP_CALL_SECONDS',
    flag: 'call-seconds',
    description: 'Time limit of one tool call; a call that exceeds it ends the server.',
  }),
  hungTabSeconds: named(z.union([z.literal('0').transform(() => 0), seconds(1, 3_600)]).prefault('10'), {
    env: 'BROWSER_MCP_HUNG_TAB_SECONDS',
    flag: 'hung-tab-seconds',
    description: 'A page that holds a call up and answers nothing for this time is crashed; 0: never.',
  }),
  fileUrls: named(boolean().default(false), {
    env: 'BROWSER_MCP_FILE_URLS',
    flag: 'file-urls',
    description: 'Open file: addresses, and use files beyond the home: all that the account can read.',
  }),
  logLevel: named(z.enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` }).default('info'), {
    env: 'LOG_LEVEL',
    flag: 'log-level',
    description: `One of ${LOG_LEVELS.join(', ')}.`,
  }),
});

export interface BrowserMcpConfig extends Omit<z.infer<typeof BrowserMcpOptions>, 'logLevel'> {
  readonly logLevel: LogLevel;
}

/** @throws OptionError naming the first invalid option */
export function readConfig(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): BrowserMcpConfig {
  return readOptions(BrowserMcpOptions, argv, env);
}

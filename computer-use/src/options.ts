import { stallSeconds } from '@sandbox/program/heartbeat/stall-option.ts';
import { list, named, port, readOptions } from '@sandbox/program/options.ts';
import { accessLog, logLevel, validateResponses } from '@sandbox/program/service-options.ts';
import { otlpEndpoint } from '@sandbox/program/tracing/otlp-option.ts';
import { z } from 'zod';

export const ComputerUseOptions = z.object({
  host: named(z.string().default('127.0.0.1'), {
    env: 'COMPUTER_USE_HOST',
    flag: 'host',
    description: 'Address that the worker listens on. Anyone who can reach it drives the desktop.',
  }),
  port: named(port().default(18_100), {
    env: 'COMPUTER_USE_PORT',
    flag: 'port',
    description: 'Port that the worker listens on; 0 selects a free one.',
  }),
  display: named(z.string().min(1).default(':0'), {
    env: 'DISPLAY',
    flag: 'display',
    description: 'The X display that the worker serves.',
  }),
  xauthority: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'XAUTHORITY',
    flag: 'xauthority',
    description: 'File with the cookie of the display.',
  }),
  sessionBus: named(z.string().min(1).optional(), {
    env: 'DBUS_SESSION_BUS_ADDRESS',
    flag: 'session-bus',
    description: 'The message bus of the desktop session, which leads to the accessibility bus.',
  }),
  allowedHosts: named(list().default([]), {
    env: 'COMPUTER_USE_ALLOWED_HOSTS',
    flag: 'allowed-hosts',
    description: 'Host names accepted besides IP addresses, names without a dot and *.localhost; comma separated.',
  }),
  validateResponses: validateResponses(),
  stallSeconds: stallSeconds(),
  accessLog: accessLog(),
  logLevel: logLevel(),
  otlpEndpoint: otlpEndpoint(),
});

export type ComputerUseConfig = Readonly<z.infer<typeof ComputerUseOptions>>;

/** @throws OptionError naming the first invalid option */
export function readConfig(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ComputerUseConfig {
  return readOptions(ComputerUseOptions, argv, env);
}

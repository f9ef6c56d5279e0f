import { isIP } from 'node:net';
import { LOG_LEVELS, type LogLevel } from '@sandbox/program/logger.ts';
import { named, port, readOptions, wholeNumber } from '@sandbox/program/options.ts';
import { addressTest, trustedProxies } from '@sandbox/program/trusted-proxies.ts';
import { z } from 'zod';

const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1', '[::]': '::1' };

export const GatewayOptions = z.object({
  gatewayHost: named(z.string().default('127.0.0.1'), {
    env: 'GATEWAY_HOST',
    flag: 'host',
    description: 'address the gateway listens on',
  }),
  gatewayPort: named(port().default(8080), {
    env: 'GATEWAY_PORT',
    flag: 'port',
    description: 'port the gateway listens on; 0 takes a free one',
  }),
  daemonHost: named(
    z
      .string()
      .regex(/^(?:[\w.-]+|\[?[0-9A-Fa-f:.]+\]?)$/, 'expected a host name or an IP address')
      .default('127.0.0.1'),
    { env: 'SVC_HOST', flag: 'daemon-host', description: "the daemon's address; a wildcard stands for loopback" },
  ),
  daemonPort: named(wholeNumber(1, 65_535).default(8091), {
    env: 'SVC_PORT',
    flag: 'daemon-port',
    description: "the daemon's port",
  }),
  trustedProxies: named(trustedProxies().default(['loopback']), {
    env: 'SVC_TRUSTED_PROXIES',
    flag: 'trusted-proxies',
    description: 'peers whose X-Forwarded-* is believed',
  }),
  logLevel: named(z.enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` }).default('info'), {
    env: 'LOG_LEVEL',
    flag: 'log-level',
    description: 'least severe level that is logged',
  }),
});

export interface GatewayConfig {
  readonly gatewayHost: string;
  readonly gatewayPort: number;
  /** Where to connect to: never a wildcard, an IPv6 address without brackets. */
  readonly daemonHost: string;
  readonly daemonPort: number;
  readonly isTrusted: (address: string) => boolean;
  readonly logLevel: LogLevel;
}

/** @throws OptionError naming the first wrong option. */
export function readConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): GatewayConfig {
  const options = readOptions(GatewayOptions, argv, env);
  return {
    ...options,
    daemonHost: connectable(options.daemonHost),
    isTrusted: addressTest(options.trustedProxies),
  };
}

function connectable(host: string): string {
  const loopback = WILDCARDS[host];
  if (loopback) return loopback;
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 6 ? bare : host;
}

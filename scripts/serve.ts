import { delimiter, join } from 'node:path';
import process from 'node:process';
import { defaultRuntimeDir } from '../daemon/src/core/config.ts';
import { buildServices } from './build/services.ts';
import { programCommand } from './program-command.ts';
import { ROOT } from './root.ts';
import { placeDaemon } from './serve/daemon-place.ts';
import { hideKey } from './serve/hidden-key.ts';
import { launch } from './serve/launch.ts';
import { readServeOptions, USAGE } from './serve/serve-options.ts';

const DAEMON = programCommand('sandboxd');
const GATEWAY = programCommand('gateway');
/** The directory of `sandbox`. */
const COMMAND_LINE = join(ROOT, 'scripts/serve/bin');
/** Time in addition to the grace of the commands, in which the services stop by themselves. */
const EXTRA_GRACE_SECONDS = 5;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<number> {
  const { args, env, handover } = hideKey(process.argv.slice(2), process.env);
  // Every process that the launcher starts inherits this environment.
  process.env = { ...env };
  // The last directory: it hides no program of the machine.
  if (env['PATH']) process.env['PATH'] = `${env['PATH']}${delimiter}${COMMAND_LINE}`;
  const given = readServeOptions(args, env);
  // The daemon warns if the gateway is reachable from elsewhere and there is no key.
  process.env['GATEWAY_HOST'] = given.gateway.host;
  if (given.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const tell = (line: string): void => say(`sandbox: ${line}`);
  if (await buildServices(ROOT, tell)) tell('built');
  const options = await placeDaemon(given, { env, runtimeDir: defaultRuntimeDir(), say: tell });
  const { daemon, gateway, daemonArgs, gatewayArgs } = options;
  return launch({
    services: [
      {
        name: 'daemon',
        command: [...DAEMON, 'start', ...daemonArgs],
        address: daemon,
        health: '/health',
        ...(handover && { handover }),
      },
      { name: 'gateway', command: [...GATEWAY, 'start', ...gatewayArgs], address: gateway, health: '/health' },
    ],
    doctor: [...DAEMON, 'doctor', '--json', ...daemonArgs],
    reap: [...DAEMON, 'reap', ...daemonArgs],
    graceMs: (options.stopGraceSeconds + EXTRA_GRACE_SECONDS) * 1000,
    stallSeconds: options.stallSeconds,
    human: process.stdout.isTTY,
    say,
  });
}

process.exit(await main());

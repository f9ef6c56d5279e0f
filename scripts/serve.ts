import process from 'node:process';
import { buildServices } from './build/services.ts';
import { programCommand } from './program-command.ts';
import { ROOT } from './root.ts';
import { hideKey } from './serve/hidden-key.ts';
import { launch } from './serve/launch.ts';
import { readServeOptions, USAGE } from './serve/serve-options.ts';

const DAEMON = programCommand('sandboxd');
const GATEWAY = programCommand('gateway');
/** Time in addition to the grace of the commands, in which the services stop by themselves. */
const EXTRA_GRACE_SECONDS = 5;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<number> {
  const { args, env, handover } = hideKey(process.argv.slice(2), process.env);
  // Every process that the launcher starts inherits this environment.
  process.env = { ...env };
  const options = readServeOptions(args, env);
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (await buildServices(ROOT, (line) => say(`sandbox: ${line}`))) say('sandbox: built');
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

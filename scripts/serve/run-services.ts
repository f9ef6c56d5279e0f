import { delimiter } from 'node:path';
import process from 'node:process';
import { defaultRuntimeDir } from '../../daemon/src/core/config.ts';
import { placeDaemon } from './daemon-place.ts';
import { hideKey } from './hidden-key.ts';
import { launch } from './launch.ts';
import { readServeOptions, usageOf } from './serve-options.ts';

/**
 * Young objects get at most 4 MB (V8's default is 16): a relaying service creates many short-lived ones and would hold
 * three times the memory without being faster.
 */
export const NODE_FLAGS = ['--max-semi-space-size=4'] as const;

/** Time in addition to the grace of the commands, in which the services stop by themselves. */
const EXTRA_GRACE_SECONDS = 5;

export interface RunTerms {
  /** How a user starts this, for the usage. */
  readonly name: string;
  readonly programs: Readonly<Record<'sandboxd' | 'gateway', readonly string[]>>;
  /** Directory of `sandbox`, and of other programs that commands find after those of the machine. */
  readonly commandLine: string;
  /** Command that exits 0 if Docker answers, where images can be built. */
  readonly docker?: readonly string[];
  /** Makes what the services need; it writes lines about it. */
  readonly prepare?: (say: (line: string) => void) => Promise<void>;
}

/** Runs the daemon and the gateway until a signal arrives or one of them fails for good. Returns the exit code. */
export async function runServices({ name, programs, commandLine, docker, prepare }: RunTerms): Promise<number> {
  const { args, env, handover } = hideKey(process.argv.slice(2), process.env);
  // Every process that the launcher starts inherits this environment.
  process.env = { ...env };
  // The last directory: it hides no program of the machine.
  if (env['PATH']) process.env['PATH'] = `${env['PATH']}${delimiter}${commandLine}`;
  const given = readServeOptions(args, env);
  // The daemon warns if the gateway is reachable from elsewhere and there is no key.
  process.env['GATEWAY_HOST'] = given.gateway.host;
  if (given.help) {
    process.stdout.write(usageOf(name, programs));
    return 0;
  }
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const tell = (line: string): void => say(`sandbox: ${line}`);
  await prepare?.(tell);
  const options = await placeDaemon(given, { env, runtimeDir: defaultRuntimeDir(), say: tell });
  const { daemon, gateway, daemonArgs, gatewayArgs } = options;
  return launch({
    services: [
      {
        name: 'daemon',
        command: [...programs.sandboxd, 'start', ...daemonArgs],
        address: daemon,
        health: '/health',
        ...(handover && { handover }),
      },
      { name: 'gateway', command: [...programs.gateway, 'start', ...gatewayArgs], address: gateway, health: '/health' },
    ],
    doctor: [...programs.sandboxd, 'doctor', '--json', ...daemonArgs],
    ...(docker && { docker }),
    reap: [...programs.sandboxd, 'reap', ...daemonArgs],
    graceMs: (options.stopGraceSeconds + EXTRA_GRACE_SECONDS) * 1000,
    stallSeconds: options.stallSeconds,
    human: process.stdout.isTTY,
    say,
  });
}

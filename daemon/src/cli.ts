import { existsSync } from 'node:fs';
import { VERSION } from '@sandbox/api/version.ts';
import { startHeartbeat } from '@sandbox/program/heartbeat/heartbeat.ts';
import { trimMemory } from '@sandbox/program/memory/trim-memory.ts';
import { helpText, IGNORED_LINKS, OptionError, serviceLinks } from '@sandbox/program/options.ts';
import type { Running } from '@sandbox/program/run.ts';
import type { Config } from './config.ts';
import { errnoName } from './core/errno-name.ts';

const USAGE = `Usage: sandboxd [start] [options]     serve the API
       sandboxd doctor [--json]      say what this machine has for it, and how to get what is missing
       sandboxd check [options]      exit 2 with one line if an option is wrong, else 0
       sandboxd reap                 end what a daemon that died has left running in the runtime directory
       sandboxd print-openapi v1|v2  print the OpenAPI document of a surface
       sandboxd version              print the version; so does --version`;

/**
 * The daemon's command line. Returns what keeps running, or undefined when the command is done.
 * @param heartbeatFd descriptor for the beats of the main loop, if a parent counts them
 */
export async function sandboxd(argv: readonly string[], heartbeatFd?: number): Promise<Running | undefined> {
  if (argv[0] === '--version' || argv[0] === '-V') return sandboxd(['version']);
  const [command = 'start', ...rest] = argv[0]?.startsWith('-') ? ['start', ...argv] : argv;
  if (argv.includes('--help') || argv.includes('-h') || command === 'help') {
    const { DaemonOptions } = await import('./config.ts');
    process.stdout.write(helpText(USAGE, DaemonOptions));
    return undefined;
  }
  switch (command) {
    case 'start':
      return start(rest, heartbeatFd);
    case 'version':
      process.stdout.write(`${VERSION}\n`);
      return undefined;
    case 'doctor':
      return doctor(rest);
    case 'check':
      await readChecked(rest);
      return undefined;
    case 'reap':
      return reap(rest);
    case 'print-openapi':
      return printOpenapi(rest);
    default:
      throw new OptionError(`unknown command ${JSON.stringify(command)}; sandboxd --help lists them`);
  }
}

async function start(argv: readonly string[], heartbeatFd?: number): Promise<Running> {
  const config = await readChecked(argv);
  const { stallSeconds, logLevel } = config;
  startHeartbeat(heartbeatFd, { name: 'daemon', stallSeconds, logLevel });
  trimMemory();
  const { buildApp } = await import('./app.ts');
  const app = await buildApp(config);
  const links = await ignoredLinks();
  if (links.length > 0) app.log.warn({ links }, IGNORED_LINKS);
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    await app.close();
    throw new Error(`cannot listen on ${config.host}:${config.port}: ${reason(error)}`, { cause: error });
  }
  return { stop: () => app.close() };
}

async function ignoredLinks(): Promise<string[]> {
  const { DaemonOptions } = await import('./config.ts');
  const { inheritedEnvironment } = await import('./core/config.ts');
  return serviceLinks(DaemonOptions, inheritedEnvironment());
}

/** @throws OptionError for an option that is wrong by itself or on this machine */
async function readChecked(argv: readonly string[]): Promise<Config> {
  const { readConfig } = await import('./config.ts');
  const config = readConfig(argv);
  const { requireDefaultUser } = await import('./core/account/identity.ts');
  requireDefaultUser(config.defaultUser);
  return config;
}

async function doctor(argv: readonly string[]): Promise<undefined> {
  const json = argv.includes('--json');
  const { readConfig } = await import('./config.ts');
  const config = readConfig(argv.filter((arg) => arg !== '--json'));
  const { examine } = await import('./core/doctor.ts');
  const { CAPABILITIES } = await import('./capabilities/index.ts');
  const requirements = CAPABILITIES.flatMap(({ requires }) => requires);
  const checks = await examine(config, requirements);
  process.stdout.write(
    json
      ? `${JSON.stringify({ version: VERSION, checks }, null, 2)}\n`
      : checks
          .map(
            ({ name, ok, detail, hint }) =>
              `${ok ? 'ok     ' : 'missing'} ${name}: ${detail}${ok || !hint ? '' : `; ${hint}`}\n`,
          )
          .join(''),
  );
  if (checks.some((check) => !check.ok && check.required)) process.exitCode = 1;
  return undefined;
}

async function reap(argv: readonly string[]): Promise<undefined> {
  const { readConfig } = await import('./config.ts');
  const config = readConfig(argv);
  if (!existsSync(config.runtimeDir)) return undefined;
  const { RuntimeDir } = await import('./core/runtime-dir.ts');
  const { endKeeper } = await import('./core/process/keeper/keeper-launch.ts');
  await using runtime = await RuntimeDir.open(config.runtimeDir);
  await endKeeper(runtime.path, config.stopGraceSeconds * 1000);
  return undefined;
}

async function printOpenapi(argv: readonly string[]): Promise<undefined> {
  const [surface = 'v2'] = argv;
  if (surface !== 'v1' && surface !== 'v2')
    throw new OptionError(`print-openapi: expected v1 or v2, got ${JSON.stringify(surface)}`);
  const { openapiDocument } = await import('./openapi-document.ts');
  process.stdout.write(`${JSON.stringify(await openapiDocument(surface), null, 2)}\n`);
  return undefined;
}

function reason(error: unknown): string {
  if (errnoName(error) === 'EADDRINUSE') return 'the port is in use';
  return error instanceof Error ? error.message : String(error);
}

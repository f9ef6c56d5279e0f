import process from 'node:process';
import { startHeartbeat, takeHeartbeatFd } from '@sandbox/program/heartbeat/heartbeat.ts';
import { createLogger } from '@sandbox/program/logger.ts';
import { trimMemory } from '@sandbox/program/memory/trim-memory.ts';
import { helpText, IGNORED_LINKS, OptionError, serviceLinks } from '@sandbox/program/options.ts';
import { stopWithParent } from '@sandbox/program/parent.ts';
import { type Running, runProgram } from '@sandbox/program/run.ts';
import { openTracing } from '@sandbox/program/tracing/tracing.ts';
import manifest from '../package.json' with { type: 'json' };
import { GatewayOptions, readConfig } from './config.ts';
import { buildGateway } from './gateway.ts';

const USAGE = 'usage: gateway [start] [options] | gateway check [options] | gateway version | gateway --help';
/** `check` ends after the options have been read. */
const COMMANDS: ReadonlySet<string> = new Set(['start', 'check']);

stopWithParent(process.env);
const heartbeatFd = takeHeartbeatFd(process.env);
await runProgram('gateway', async (): Promise<Running | undefined> => {
  const [first, ...rest] = process.argv.slice(2);
  if (first === '--help' || first === '-h' || first === 'help') {
    process.stdout.write(helpText(USAGE, GatewayOptions));
    return undefined;
  }
  if (first === 'version' || first === '--version') {
    process.stdout.write(`${manifest.version}\n`);
    return undefined;
  }
  if (first !== undefined && !COMMANDS.has(first) && !first.startsWith('-')) {
    throw new OptionError(`unknown command ${JSON.stringify(first)}; ${USAGE}`);
  }
  const argv = first !== undefined && COMMANDS.has(first) ? rest : process.argv.slice(2);
  const config = readConfig(argv, process.env);
  if (first === 'check') return undefined;
  const { stallSeconds, logLevel } = config;
  startHeartbeat(heartbeatFd, { name: 'gateway', stallSeconds, logLevel });
  trimMemory();
  const logger = createLogger('gateway', logLevel);
  const links = serviceLinks(GatewayOptions, process.env);
  if (links.length > 0) logger.warn({ links }, IGNORED_LINKS);
  const { version } = manifest;
  const tracing = await openTracing({ endpoint: config.otlpEndpoint, service: 'gateway', version });
  const gateway = buildGateway(config, { logger, version, tracing });
  const { host, port } = await gateway.listen();
  logger.info({ host, port }, 'listening');
  return { stop: () => gateway.close() };
});

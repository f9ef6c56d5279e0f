import process from 'node:process';
import { startHeartbeat, takeHeartbeatFd } from '@sandbox/program/heartbeat/heartbeat.ts';
import { createLogger } from '@sandbox/program/logger.ts';
import { trimMemory } from '@sandbox/program/memory/trim-memory.ts';
import { helpText, IGNORED_LINKS, serviceLinks } from '@sandbox/program/options.ts';
import { stopWithParent } from '@sandbox/program/parent.ts';
import { type Running, runProgram } from '@sandbox/program/run.ts';
import { ComputerUseOptions, readConfig } from './options.ts';
import { buildWorker } from './worker.ts';

stopWithParent(process.env);
const heartbeatFd = takeHeartbeatFd(process.env);
await runProgram('computer-use', async (): Promise<Running | undefined> => {
  const argv = process.argv.slice(2);
  if (argv[0] === '--help' || argv[0] === '-h') {
    process.stdout.write(helpText('usage: computer-use [options]', ComputerUseOptions));
    return undefined;
  }
  const config = readConfig(argv, process.env);
  // The package for X reads the path of the cookies from the environment.
  if (config.xauthority !== undefined) process.env['XAUTHORITY'] = config.xauthority;
  const { stallSeconds, logLevel } = config;
  startHeartbeat(heartbeatFd, { name: 'computer-use', stallSeconds, logLevel });
  trimMemory();
  const logger = createLogger('computer-use', logLevel);
  const links = serviceLinks(ComputerUseOptions, process.env);
  if (links.length > 0) logger.warn({ links }, IGNORED_LINKS);
  const app = await buildWorker(config, logger);
  await app.listen({ host: config.host, port: config.port });
  return { stop: () => app.close() };
});

import process from 'node:process';
import { createLogger } from '@sandbox/program/logger.ts';
import { helpText } from '@sandbox/program/options.ts';
import { type Running, runProgram } from '@sandbox/program/run.ts';
import { BrowserMcp, listTools } from './browser-mcp.ts';
import { BrowserMcpOptions, readConfig } from './config.ts';

await runProgram('browser-mcp', async (): Promise<Running | undefined> => {
  const argv = process.argv.slice(2);
  if (argv[0] === '--help' || argv[0] === '-h') {
    process.stdout.write(helpText('usage: browser-mcp [options] | --list-tools', BrowserMcpOptions));
    return undefined;
  }
  if (argv[0] === '--list-tools') {
    process.stdout.write(`${JSON.stringify({ tools: await listTools() })}\n`);
    return undefined;
  }
  const config = readConfig(argv, process.env);
  const logger = createLogger('browser-mcp', config.logLevel);
  const end = (reason: string): void => {
    logger.info({ reason }, 'ending');
    process.kill(process.pid, 'SIGTERM');
  };
  const server = await BrowserMcp.start(config, logger, end);
  logger.info({ port: server.port }, 'listening');
  return { stop: () => server[Symbol.asyncDispose]() };
});

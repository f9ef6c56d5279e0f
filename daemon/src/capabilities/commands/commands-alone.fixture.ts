import { runProgram } from '@sandbox/program/run.ts';
import { buildApp } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { commands } from './index.ts';

/** A daemon with this capability alone, which starts sooner. */
await runProgram('daemon with commands alone', async () => {
  const config = readConfig([]);
  const app = await buildApp(config, undefined, [commands]);
  await app.listen({ host: config.host, port: config.port });
  return { stop: () => app.close() };
});

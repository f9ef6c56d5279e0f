import { runProgram } from '@sandbox/program/run.ts';
import { z } from 'zod';
import { buildApp } from '../../../app.ts';
import { CAPABILITIES } from '../../../capabilities/index.ts';
import { defineCapability } from '../../../capability.ts';
import { readConfig } from '../../../config.ts';
import type { HostedProcess } from '../process-host.ts';

interface Params {
  readonly id: string;
}

const HIDDEN = { schema: { hide: true } };
const START = { schema: { hide: true, body: z.object({ script: z.string() }) } };

/** Starts processes whose ids look like those of no other capability, and keeps no records of its own. */
const third = defineCapability({
  name: 'third',
  create: ({ processes }) => {
    const found = new Map<string, HostedProcess>(processes.recover(new Map()).processes);
    return { processes, found, [Symbol.asyncDispose]: async () => {} };
  },
  v2: (app, { processes, found }) => {
    app.post<{ Params: Params; Body: { script: string } }>('/third/:id', START, async ({ params: { id }, body }) => {
      const env = { PATH: '/usr/bin:/bin', SVC_COMMAND_ID: id };
      const spec = { id, file: 'sh', args: ['-c', body.script], cwd: '/', env, outputMaxBytes: 1_048_576 };
      const process = await processes.start({ ...spec, stdin: 'pipe' });
      found.set(id, process);
      await process.output.stdout.advanced(0);
      return { data: { pid: process.pid } };
    });
    app.get('/third', HIDDEN, () => ({ data: Array.from(found.values(), ({ id, pid }) => ({ id, pid })) }));
    app.get<{ Params: Params }>('/third/:id/end', HIDDEN, async ({ params: { id } }) => {
      const process = found.get(id);
      await process?.endStdin();
      const end = await process?.ended;
      const stdout = await process?.output.stdout.read(0, 65_536);
      return { data: { exit_code: end?.exitCode, stdout: stdout?.bytes.toString() } };
    });
  },
});

await runProgram('daemon with a third owner', async () => {
  const config = readConfig([]);
  const app = await buildApp(config, undefined, [...CAPABILITIES, third]);
  await app.listen({ host: config.host, port: config.port });
  return { stop: () => app.close() };
});

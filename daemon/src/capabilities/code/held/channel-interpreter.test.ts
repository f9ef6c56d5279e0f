import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { OutputLogWriter } from '../../../core/output/output-log-writer.ts';
import type { ProcessEnd } from '../../../core/process/process-host.ts';
import type { OutputEvent } from '../runtime/output.ts';
import { markName } from './cell-mark.ts';
import { ChannelInterpreter, type Dialect, type Held } from './channel-interpreter.ts';
import { controlSocket } from './held-state.ts';

const DIALECT: Dialect = { prepare: ({ code }) => Promise.resolve({ message: { code } }), force: [] };

test('[js.one-off] the report of a cell counts, also where the end of its process is known before', async () => {
  await using place = await tempDir();
  const state = { token: 'secret', directory: place.path };
  const ended = Promise.withResolvers<ProcessEnd>();
  const log = new OutputLog(place.path, 'code-1');
  const writer = new OutputLogWriter(log, 1024 ** 2);
  const server = createServer((socket) => {
    socket.write('{"hello":"secret"}\n');
    socket.once('data', async () => {
      const mark = Buffer.from(`\x1e${markName('secret', 'cell-1')} 0\x1e`);
      for (const stream of ['stdout', 'stderr'] as const) writer.write(stream, mark);
      ended.resolve({ exitCode: 0, signal: null } as ProcessEnd);
      // The news of the end overtakes what is in the socket.
      for (let turn = 0; turn < 3; turn += 1) await setImmediate();
      socket.end('{"done":"cell-1","count":1,"value":"42"}\n');
    });
  });
  await once(server.listen(controlSocket(state)), 'listening');
  const process = { id: 'code-1', pid: 1, output: log, ended: ended.promise };
  const interpreter = new ChannelInterpreter({ process, state } as unknown as Held, DIALECT);
  const events: OutputEvent[] = [];
  const sink = { write: (event: OutputEvent) => void events.push(event) };
  expect(await interpreter.run({ id: 'cell-1', language: 'javascript', code: '6 * 7', isLast: true }, sink)).toEqual({
    status: 'ok',
    executionCount: 1,
    exitCode: 0,
  });
  expect(events).toMatchObject([{ type: 'execute_result', data: { 'text/plain': '42' } }]);
  await new Promise((resolve) => server.close(resolve));
});

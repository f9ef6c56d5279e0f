import { request } from 'node:http';
import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { cellsOf } from '../languages.fixture.ts';

const execution = async (daemon: TestApp, id: string, query = '') =>
  (await daemon.inject(`/v2/code/executions/${id}${query}`)).json().data;

test('[code.waiting] an interrupted cell that waits for its turn ends, and does not begin', async () => {
  await using daemon = await TestApp.start();
  const cell = cellsOf(daemon, 'bash');
  // The shell itself waits: a program that it has forked and not yet executed would not get the signal.
  const code = 'began=1; mkfifo never; echo begun; read -r <>never';
  const first = await cell(code, { async: true, timeout: 600, cwd: daemon.directory });
  expect((await execution(daemon, first.execution_id, '?wait=true')).outputs[0]?.text).toBe('begun\n');
  const second = await cell('began=2', { async: true });
  expect(await execution(daemon, second.execution_id)).toMatchObject({ status: 'running', outputs: [] });
  const interrupt = (id: string) => daemon.post(`/v2/code/executions/${id}/interrupt`);
  expect((await interrupt(second.execution_id)).json().data).toEqual({
    execution_id: second.execution_id,
    interrupted: true,
  });
  expect(await execution(daemon, second.execution_id, '?wait=true&offset=1')).toMatchObject({
    status: 'error',
    execution: { execution_count: null, exit_code: null },
  });
  expect((await execution(daemon, second.execution_id)).outputs).toEqual([
    {
      output_type: 'error',
      ename: 'Interrupted',
      evalue: 'the cell was interrupted before it began',
      traceback: ['Interrupted: the cell was interrupted before it began'],
    },
  ]);
  expect((await interrupt(second.execution_id)).json().data.interrupted).toBe(false);
  expect((await execution(daemon, first.execution_id)).status).toBe('running');
  expect((await interrupt(first.execution_id)).json().data.interrupted).toBe(true);
  expect((await cell('echo $began')).stdout).toBe('1\n');
});

test('[code.waiting] a cell whose caller goes while it waits for its turn does not begin', async () => {
  await using daemon = await TestApp.start();
  const { port } = new URL(await daemon.listen());
  const cell = cellsOf(daemon, 'bash');
  const code = 'seen=0; echo begun; until [ -e go ]; do sleep 0.02; done';
  const first = await cell(code, { async: true, cwd: daemon.directory });
  await execution(daemon, first.execution_id, '?wait=true');
  const lastUse = async () => (await daemon.inject('/v2/code/sessions/s')).json().data.last_used_at;
  const before = await lastUse();
  const sent = request({ port, path: '/v2/code/execute', method: 'POST' });
  sent.on('error', () => undefined);
  const closed = new Promise((resolve) => sent.once('close', resolve));
  sent.end(JSON.stringify({ language: 'bash', code: 'seen=1', session_id: 's' }));
  await expect.poll(lastUse).not.toBe(before);
  // A client that only ends its half may still wait for its answer.
  sent.socket?.resetAndDestroy();
  await closed;
  await daemon.run('touch go', { cwd: daemon.directory });
  await execution(daemon, first.execution_id, '?wait=true&offset=9');
  expect((await cell('echo $seen')).stdout).toBe('0\n');
});

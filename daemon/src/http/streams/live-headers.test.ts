import { get } from 'node:http';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

const LIVE = { 'cache-control': 'no-store, no-cache, no-transform', 'x-accel-buffering': 'no' };
const EVENTS = { accept: 'application/json, text/event-stream' };
const LINES = { accept: 'application/x-ndjson' };

test('[manners.live-headers] streams of commands and code', async () => {
  await using daemon = await TestApp.start();
  const { command_id } = await daemon.run('echo hi');
  const url = `/v2/commands/${command_id}`;
  const output = await daemon.inject({ url, headers: LINES });
  const asked = await daemon.inject({ url, query: { stream: 'true' } });
  const cell = await daemon.post('/v2/code/execute', { language: 'python', code: '1' }, LINES);
  for (const { statusCode, headers } of [output, asked, cell]) {
    expect([statusCode, headers]).toEqual([200, expect.objectContaining(LIVE)]);
    expect(headers['content-type']).toBe('application/x-ndjson');
  }
});

test('[manners.live-headers] events of the shell of 1.x and of a watcher', async () => {
  await using daemon = await TestApp.start();
  const shell = await daemon.post('/v1/shell/exec', { command: 'echo hi' }, { accept: 'text/event-stream' });
  expect(shell.headers).toMatchObject({ ...LIVE, 'content-type': 'text/event-stream' });
  const { watcher_id } = (await daemon.post('/v2/watch', { path: daemon.directory })).json().data;
  const base = await daemon.listen();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const client = get(`${base}/v2/watch/${watcher_id}/events`, (answer) => resolve(answer.headers));
  expect(await promise).toMatchObject({ ...LIVE, 'content-type': 'text/event-stream' });
  client.destroy();
});

test('[manners.live-headers] events of MCP, under both of its paths', async () => {
  await using daemon = await TestApp.start();
  const params = {
    name: 'sandbox_execute_bash',
    arguments: { cmd: 'echo hi' },
    _meta: { progressToken: 'p' },
  };
  for (const path of ['/mcp', '/v1/mcp']) {
    const called = await daemon.post(path, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, EVENTS);
    expect(called.headers).toMatchObject({ ...LIVE, 'content-type': 'text/event-stream' });
  }
});

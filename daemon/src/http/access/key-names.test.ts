import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { started, TestViewer } from '../../capabilities/pty/pty.fixture.ts';
import { readConfig } from '../../config.ts';
import { examine } from '../../core/doctor.ts';

test('[keys.name] records of commands, the activity and the metrics have the name of the key', async () => {
  await using directory = await tempDir();
  const path = join(directory.path, 'keys');
  const lines = ['anna', 'bert'].map((name) => JSON.stringify({ name, key: `key-of-${name}`, scopes: ['mcp'] }));
  await writeFile(path, lines.join('\n'));
  await using daemon = await TestApp.start({ accessKeysFile: path, apiKey: 'single' });
  const [anna, bert, single] = ['key-of-anna', 'key-of-bert', 'single'].map((key) => ({ 'x-api-key': key }));
  const started = await daemon.post('/v2/commands', { command: 'sleep 60', mode: 'async' }, anna);
  const { command_id: id } = started.json().data;
  const call = { name: 'sandbox_execute_bash', arguments: { cmd: 'true' } };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
  await daemon.post('/mcp', message, { ...bert, accept: 'application/json, text/event-stream' });
  await daemon.post('/v2/commands', { command: 'true' }, single);
  const seen = async (url: string) => await daemon.inject({ url, headers: { ...single } });
  const { commands } = (await seen('/v2/commands')).json().data as { commands: { command: string; key: unknown }[] };
  const keys = Object.fromEntries(commands.map(({ command, key }) => [`${command} ${key}`, true]));
  expect(keys).toMatchObject({ 'sleep 60 anna': true, 'true bert': true, 'true null': true });
  const { holders } = (await seen('/v2/sandbox/activity')).json().data;
  expect(holders).toMatchObject([{ kind: 'command', id, key: 'anna' }]);
  const figures = (await seen('/metrics')).body;
  expect(figures).toMatch(/^http_key_requests_total\{key="anna"\} 1$/m);
  await daemon.post(`/v2/commands/${id}/kill`, {}, anna);
});

test('[keys.file] doctor counts the keys of the file, or names its fault', async () => {
  await using directory = await tempDir();
  const path = join(directory.path, 'keys');
  const config = readConfig([], { SVC_ACCESS_KEYS_FILE: path });
  const check = async () => (await examine(config, [])).find(({ name }) => name === 'file of access keys');
  expect(await check()).toMatchObject({ ok: false, detail: expect.stringContaining('ENOENT') });
  await writeFile(path, JSON.stringify({ name: 'anna', key: 'key-of-anna', scopes: ['view', 'files:/data'] }));
  expect(await check()).toMatchObject({ ok: true, detail: `${path}: 1 keys` });
  await writeFile(path, JSON.stringify({ name: 'anna', key: 'secret-of-anna', scopes: ['files:data'] }));
  const faulty = await check();
  expect(faulty).toMatchObject({ ok: false, detail: expect.stringContaining('line 1: scopes.0: expected all, mcp') });
  expect(JSON.stringify(faulty)).not.toContain('secret');
});

test('[keys.file] a key that was added since the last look opens a WebSocket, also as its first use', async () => {
  await using directory = await tempDir();
  const path = join(directory.path, 'keys');
  const line = (name: string): string => JSON.stringify({ name, key: `key-of-${name}`, scopes: ['all'] });
  await writeFile(path, line('anna'));
  await using service = await started({ accessKeysFile: path });
  await service.daemon.post('/v2/pty/sessions', { id: 'a', command: 'cat' }, { 'x-api-key': 'key-of-anna' });
  await writeFile(path, `${line('anna')}\n${line('berta')}`);
  const headers = { 'x-api-key': 'key-of-berta' };
  await using viewer = new TestViewer(`${service.ws}/v2/pty/sessions/a/ws`, { headers });
  await viewer.message('ready');
  viewer.type('hello\r');
  await viewer.shows('hello');
});

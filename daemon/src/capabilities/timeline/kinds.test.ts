import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { kindsOf, timelineOf } from './timeline.fixture.ts';

test('[timeline.terminals] a terminal is opened, resized, writes in ranges that join, executes and ends', async () => {
  await using daemon = await TestApp.start({ record: 'on' });
  const session_id = 't1';
  const url = `/v2/pty/sessions/${session_id}`;
  await daemon.post('/v2/pty/sessions', { session_id, cols: 100, rows: 30 });
  await daemon.inject({ method: 'PATCH', url, payload: { cols: 90, rows: 20 } });
  await daemon.post(`${url}/exec`, { command: 'echo typed-$((40 + 2)); false' });
  const { offset } = (await daemon.inject(url)).json().data;
  await daemon.inject({ method: 'DELETE', url });
  const { events } = await timelineOf(daemon, { kinds: 'terminal' });
  const others = events.filter(({ kind }) => kind !== 'terminal.output');
  expect(kindsOf(others)).toEqual([
    'terminal.opened',
    'terminal.resized',
    'terminal.exec',
    'terminal.exec_ended',
    'terminal.closed',
    'terminal.ended',
  ]);
  const [opened, resized, exec, execEnded, , ended] = others;
  for (const { refs } of events) expect(refs).toEqual({ session_id });
  expect(opened).toMatchObject({ actor: { protocol: 'v2' }, data: { cols: 100, rows: 30 } });
  expect(resized).toMatchObject({ data: { cols: 90, rows: 20 } });
  expect(exec).toMatchObject({ data: { command: 'echo typed-$((40 + 2)); false' } });
  expect(execEnded).toMatchObject({ actor: null, data: { exit_code: 1 } });
  const ranges = events.filter(({ kind }) => kind === 'terminal.output').map(({ data }) => [data['from'], data['to']]);
  expect(ranges[0]?.[0]).toBe(0);
  expect(ranges.slice(1).map(([from]) => from)).toEqual(ranges.slice(0, -1).map(([, to]) => to));
  expect(ranges.at(-1)?.[1]).toBe(ended?.data['output_bytes']);
  expect(ended?.data['output_bytes']).toBeGreaterThanOrEqual(offset);
});

test('[timeline.cells] a cell has its code, its session and its end', async () => {
  await using daemon = await TestApp.start({ record: 'on' });
  const cell = { language: 'bash', code: 'echo out; exit 3' };
  const { execution_id } = (await daemon.post('/v2/code/execute', cell)).json().data;
  const { events } = await timelineOf(daemon, { kinds: 'cell' });
  expect(events).toMatchObject([
    { kind: 'cell.begun', refs: { execution_id }, actor: { protocol: 'v2' }, data: cell },
    { kind: 'cell.ended', refs: { execution_id }, actor: null, data: { exit_code: 3, outputs: 1 } },
  ]);
});

test('[timeline.files] changes by routes have path, what was done and the state after them; refused ones are none', async () => {
  await using daemon = await TestApp.start({ record: 'on' });
  await using place = await tempDir();
  const at = (name: string): string => join(place.path, name);
  const { etag } = (await daemon.post('/v2/fs/write', { path: at('a'), content: 'one two' })).json().data;
  await daemon.post('/v2/fs/edit', { path: at('a'), command: 'str_replace', old_str: 'two', new_str: '2' });
  await daemon.post('/v2/fs/edit', { path: at('a'), command: 'str_replace', old_str: 'absent', new_str: '2' });
  await daemon.post('/v2/fs/mkdir', { path: at('d') });
  await daemon.post('/v2/fs/copy', { source: at('a'), destination: at('b') });
  await daemon.post('/v2/fs/move', { source: at('b'), destination: at('d/b') });
  await daemon.inject({
    method: 'PUT',
    url: '/v2/fs/upload',
    query: { path: at('u') },
    payload: Buffer.from('12345'),
    headers: { 'content-type': 'application/octet-stream' },
  });
  await daemon.inject({ method: 'POST', url: '/v1/file/write', payload: { file: at('v1'), content: 'x' } });
  await daemon.post('/v2/fs/delete', { path: at('d'), recursive: true });
  const { events } = await timelineOf(daemon, { kinds: 'file' });
  expect(events.map(({ kind, refs }) => [kind, refs['path']])).toEqual([
    ['file.written', at('a')],
    ['file.edited', at('a')],
    ['file.made', at('d')],
    ['file.copied', at('a')],
    ['file.moved', at('b')],
    ['file.written', at('u')],
    ['file.written', at('v1')],
    ['file.deleted', at('d')],
  ]);
  expect(events[0]?.data).toEqual({ operation: 'write', bytes: 7, append: false, created: true, etag });
  expect(events[4]?.data).toMatchObject({ destination: at('d/b') });
  expect(events[5]?.data).toMatchObject({ operation: 'upload', bytes: 5 });
  expect(events[6]?.actor).toMatchObject({ protocol: 'v1' });
  expect(events[7]?.data).toEqual({ operation: 'delete', recursive: true });
});

test('[timeline.actions] browser, desktop and tools of MCP are there without what was typed and without queries', async () => {
  await using daemon = await TestApp.start({ record: 'on' });
  await daemon.post('/v2/browser/navigate', { url: 'https://me:pass@site.example/a/b?token=secret-1#frag' });
  await daemon.post('/v2/browser/fill', { selector: '#user', value: 'secret-2' });
  await daemon.post('/v2/computer/actions', { action_type: 'TYPING', text: 'secret-3' });
  await daemon.inject('/v2/browser/tabs');
  const call = { name: 'sandbox_execute_bash', arguments: { cmd: 'echo by-mcp' } };
  await daemon.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, { 'x-actor': 'agent' });
  const { events } = await timelineOf(daemon);
  const actions = events.filter(({ kind }) => /action$/.test(kind));
  expect(actions.map(({ kind, data }) => [kind, data['request']])).toEqual([
    ['browser.action', 'POST navigate'],
    ['browser.action', 'POST fill'],
    ['desktop.action', 'POST actions'],
  ]);
  expect(actions[0]?.data).toMatchObject({ url: 'https://site.example/a/b', status: 503 });
  expect(actions[1]?.data).toMatchObject({ selector: '#user' });
  expect(actions[2]?.data).toMatchObject({ action_type: 'TYPING' });
  expect(JSON.stringify(events)).not.toMatch(/secret-|pass@|frag/);
  const ofAgent = (await timelineOf(daemon, { actor: 'agent' })).events;
  expect(kindsOf(ofAgent)).toEqual(['command.begun', 'mcp.call']);
  for (const { actor } of ofAgent) expect(actor).toEqual({ key: null, protocol: 'mcp', claimed: 'agent' });
  expect(ofAgent[1]?.data).toMatchObject({ tool: 'sandbox_execute_bash', is_error: false });
});

test('[timeline.keys] a change of the keys is there by name, without a key', async () => {
  await using place = await tempDir();
  const accessKeysFile = join(place.path, 'keys');
  const line = (name: string): string => JSON.stringify({ name, key: `key-of-${name}`, scopes: ['all'] });
  await writeFile(accessKeysFile, line('first'));
  await using daemon = await TestApp.start({ record: 'on', accessKeysFile });
  await writeFile(accessKeysFile, `${line('first')}\n${line('second')}`);
  const answer = await daemon.inject({ url: '/v2/timeline?kinds=keys', headers: { 'x-api-key': 'key-of-second' } });
  expect(answer.json().data.events).toMatchObject([
    { kind: 'keys.changed', actor: null, data: { names: ['first', 'second'], has_single_key: false } },
  ]);
  expect(answer.body).not.toContain('key-of-');
});

test('[timeline.claim] a claim begins a new timeline, and its numbers continue', async () => {
  await using place = await tempDir();
  const claimTokenFile = join(place.path, 'token');
  await writeFile(claimTokenFile, 'pool-token-1');
  await using daemon = await TestApp.start({ record: 'on', apiKey: 'key-of-boot', claimTokenFile });
  await daemon.post('/v2/commands', { command: 'echo before' }, { 'x-api-key': 'key-of-boot' });
  const claim = { api_key: 'key-of-the-caller', labels: { run: '7' } };
  await daemon.post('/v2/sandbox/claim', claim, { authorization: 'Bearer pool-token-1' });
  const headers = { 'x-api-key': 'key-of-the-caller' };
  const { events, first_seq } = (await daemon.inject({ url: '/v2/timeline?after=0', headers })).json().data;
  expect(events[0]).toMatchObject({ kind: 'sandbox.claimed', data: { with_key: true, labels: { run: '7' } } });
  expect(events[0].seq).toBe(first_seq);
  expect(first_seq).toBeGreaterThan(3);
  expect(JSON.stringify(events)).not.toContain('echo before');
});

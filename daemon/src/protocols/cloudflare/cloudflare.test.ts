import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alive } from '../../../../scripts/testing/alive.ts';
import type { Config } from '../../config.ts';
import { BridgeClient, eventsOf } from './bridge-client.fixture.ts';

let root: string;
let outside: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cloudflare-root-'));
  outside = mkdtempSync(join(tmpdir(), 'cloudflare-outside-'));
  writeFileSync(join(outside, 'secret'), 'secret');
});

afterEach(() => {
  for (const directory of [root, outside]) rmSync(directory, { recursive: true, force: true });
});

function start(overrides: Partial<Config> = {}): Promise<BridgeClient> {
  return BridgeClient.start({ sandboxId: 'box', cloudflareRoot: root, ...overrides });
}

test('[cloudflare.exec] output comes as it is written, with the exit code', async () => {
  await using client = await start();
  const box = await client.create();
  expect(box).toBe('/v1/sandbox/box');
  const words = ['printf', '%s|', 'space value', '$dollar', `quote'"value`, 'line\nbreak', '*'];
  const { stdout, exitCode } = await client.exec(box, words);
  expect([stdout, exitCode]).toEqual([`space value|$dollar|quote'"value|line\nbreak|*|`, 0]);
  const both = await client.exec(box, ['sh', '-c', 'printf out; printf err >&2; exit 42']);
  expect(both).toEqual({ stdout: 'out', stderr: 'err', exitCode: 42, error: undefined });
  expect((await client.exec(box, ['no-such-program'])).exitCode).toBe(127);
  expect((await client.exec(box, ['sh', '-c', 'kill -TERM $$'])).exitCode).toBe(143);
  expect((await client.exec(box, ['pwd'])).stdout.trim()).toBe(root);
  const answer = await client.call('POST', `${box}/exec`, { argv: ['true'] });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(eventsOf(await answer.text())).toEqual([{ event: 'exit', data: '{"exit_code":0}' }]);
});

test('[cloudflare.exec] a pipe is read before the command has ended', async () => {
  await using client = await start();
  const box = await client.create();
  const script = 'echo first; until [ -e go ]; do sleep 0.02; done; echo second';
  const answer = await client.call('POST', `${box}/exec`, { argv: ['sh', '-c', script] });
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const read = async () => Buffer.from((await reader.read()).value ?? '').toString();
  expect(await read()).toBe(`event: stdout\ndata: ${btoa('first\n')}\n\n`);
  writeFileSync(join(root, 'go'), '');
  let rest = '';
  for (let piece = await read(); piece !== ''; piece = await read()) rest += piece;
  expect(rest).toBe(`event: stdout\ndata: ${btoa('second\n')}\n\nevent: exit\ndata: {"exit_code":0}\n\n`);
});

test('[cloudflare.exec] timeout_ms ends everything that the command has started', async () => {
  await using client = await start();
  const box = await client.create();
  const script = `setsid sh -c 'echo $$ > child; exec sleep 600' & while [ ! -s child ]; do sleep 0.02; done; echo up; wait`;
  const ran = await client.exec(box, ['sh', '-c', script], { timeout_ms: 1500 });
  expect(ran).toMatchObject({ stdout: 'up\n', error: 'the command was ended after 1500 ms' });
  const child = Number(readFileSync(join(root, 'child'), 'utf8'));
  await expect.poll(() => alive(child)).toBe(false);
});

test('[cloudflare.exec] what is wrong is refused before the command starts', async () => {
  await using client = await start();
  const box = await client.create();
  const refused = (body: unknown) => client.refused('POST', `${box}/exec`, body);
  expect(await refused('not json')).toEqual([400, 'invalid_request', 'Invalid JSON body']);
  for (const body of [{}, { argv: [] }, { argv: 'ls' }, { argv: [''] }, { argv: ['a\0'] }]) {
    expect(await refused(body)).toEqual([400, 'invalid_request', expect.stringContaining('argv')]);
  }
  expect((await refused({ argv: ['ls'], timeout_ms: -1 }))[2]).toContain('timeout_ms');
  for (const cwd of ['/tmp', '/workspace/../../etc', '../x', '/workspacefoo']) {
    expect(await refused({ argv: ['ls'], cwd })).toEqual([
      403,
      'invalid_request',
      'cwd must resolve to a location within /workspace',
    ]);
  }
  mkdirSync(join(root, 'src'));
  for (const cwd of ['src', '/workspace/src', '/workspace/src/../src', join(root, 'src')]) {
    expect((await client.exec(box, ['pwd'], { cwd })).stdout.trim()).toBe(join(root, 'src'));
  }
  const missing = await client.refused('POST', `${box}/exec`, { argv: ['ls'], cwd: 'none' });
  expect(missing).toEqual([expect.any(Number), expect.any(String), expect.stringContaining('none')]);
});

test('[cloudflare.cut] a command goes on when its client leaves, and is listed', async () => {
  await using client = await start();
  const box = await client.create();
  const body = JSON.stringify({ argv: ['sh', '-c', 'echo begun; until [ -e go ]; do sleep 0.02; done; echo end'] });
  const socket = connect(client.port, '127.0.0.1');
  socket.write(
    `POST /compat/cloudflare${box}/exec HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  writeFileSync(join(root, 'go'), '');
  const [command] = (await client.app.inject('/v2/commands')).json().data.commands;
  const ended = await client.app.inject({
    url: `/v2/commands/${command.command_id}?stream=true`,
    headers: { accept: 'application/x-ndjson' },
  });
  expect(ended.body).toContain('end\\n');
});

test('[cloudflare.files] files are written with their parents and read, of any bytes and any name', async () => {
  await using client = await start();
  const box = await client.create();
  const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 256);
  const put = await client.call('PUT', `${box}/file/workspace/a/b%20%C3%A9.bin`, bytes);
  expect([put.status, await put.json()]).toEqual([200, { ok: true }]);
  expect(readFileSync(join(root, 'a/b é.bin'))).toEqual(Buffer.from(bytes));
  const got = await client.call('GET', `${box}/file/workspace/a/b%20%C3%A9.bin`);
  expect(got.headers.get('content-type')).toBe('application/octet-stream');
  expect(Buffer.from(await got.arrayBuffer())).toEqual(Buffer.from(bytes));
  expect(await (await client.call('GET', `${box}/file${root}/a/b%20%C3%A9.bin`)).arrayBuffer()).toHaveProperty(
    'byteLength',
    bytes.length,
  );
});

test.each(['GET', 'PUT'])('[cloudflare.files] %s reaches nothing outside the workspace', async (method) => {
  await using client = await start();
  const box = await client.create();
  symlinkSync(outside, join(root, 'link'));
  const body = method === 'PUT' ? 'x' : undefined;
  const paths = ['etc/passwd', 'main.py', 'workspace/%2E%2E/etc/passwd', 'workspace%2F..%2Fetc', 'workspacefoo/x'];
  for (const path of [...paths, 'workspace/link/secret', 'workspace/link/new/x']) {
    const refused = await client.refused(method, `${box}/file/${path}`, body);
    expect([path, ...refused]).toEqual([path, 403, 'invalid_request', expect.stringContaining('within /workspace')]);
  }
  expect(readdirSync(outside)).toEqual(['secret']);
  expect((await client.refused(method, `${box}/file/`, body))[0]).toBe(400);
  expect((await client.refused(method, `${box}/file/workspace/a%00b`, body))[0]).toBe(400);
  mkdirSync(join(root, 'd'));
  expect((await client.refused(method, `${box}/file/workspace/d`, body))[0]).toBe(400);
});

test('[cloudflare.files] a file that is missing is 404; a PUT that is cut leaves the old one', async () => {
  await using client = await start();
  const box = await client.create();
  expect((await client.refused('GET', `${box}/file/workspace/none`)).slice(0, 2)).toEqual([
    404,
    'workspace_read_not_found',
  ]);
  writeFileSync(join(root, 'f'), 'old');
  const socket = connect(client.port, '127.0.0.1');
  const path = `/compat/cloudflare${box}/file/workspace/f`;
  socket.write(`PUT ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99\r\n\r\nhalf`);
  while (readdirSync(root).length === 1) await new Promise(setImmediate);
  socket.destroy();
  while (readdirSync(root).length > 1) await new Promise(setImmediate);
  expect(readFileSync(join(root, 'f'), 'utf8')).toBe('old');
});

test('[cloudflare.tar] the workspace is persisted without what is excluded, and hydrated', async () => {
  await using client = await start();
  const box = await client.create();
  for (const directory of ['.venv', 'src/.venv']) mkdirSync(join(root, directory), { recursive: true });
  for (const file of ['.venv/x', 'src/.venv/y', 'src/main.py', 'a b', '.Xauthority']) {
    writeFileSync(join(root, file), file);
  }
  // As the browser of the display leaves it, whose archive no client takes.
  mkdirSync(join(root, '.config/sandbox-browser'), { recursive: true });
  symlinkSync('/tmp/socket', join(root, '.config/sandbox-browser/SingletonSocket'));
  const persisted = await client.call('POST', `${box}/persist?excludes=.venv,a%20b&root=/etc`);
  expect([persisted.status, persisted.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
  const tar = Buffer.from(await persisted.arrayBuffer());
  const names = execFileSync('tar', ['tf', '-'], { input: tar }).toString().split('\n');
  expect(names.filter((name) => name !== '' && !name.endsWith('/')).sort()).toEqual([
    expect.stringMatching(/^(\.\/)?src\/\.venv\/y$/),
    expect.stringMatching(/^(\.\/)?src\/main\.py$/),
  ]);
  rmSync(join(root, 'src'), { recursive: true });
  const hydrated = await client.call('POST', `${box}/hydrate?root=/etc`, tar);
  expect([hydrated.status, await hydrated.json()]).toEqual([200, { ok: true }]);
  expect(readFileSync(join(root, 'src/main.py'), 'utf8')).toBe('src/main.py');
  expect((await client.refused('POST', `${box}/persist?excludes=..%2Fetc`))[0]).toBe(400);
});

test('[cloudflare.tar] the root is taken whole and filled, also if the records of the service lie below it', async () => {
  const records = join(root, 'state');
  mkdirSync(records, { mode: 0o700 });
  writeFileSync(join(root, 'kept'), 'kept');
  const apiKey = 'key-of-the-bridge';
  await using client = await BridgeClient.start({ sandboxId: 'box', cloudflareRoot: root, apiKey }, records);
  const headers = { 'x-api-key': apiKey };
  expect((await client.call('POST', '/v1/sandbox', undefined, headers)).status).toBe(200);
  const taken = await client.call('POST', '/v1/sandbox/box/persist?excludes=state', undefined, headers);
  expect(taken.status).toBe(200);
  const archive = new Uint8Array(await taken.arrayBuffer());
  writeFileSync(join(root, 'kept'), 'changed');
  const filled = await client.call('POST', '/v1/sandbox/box/hydrate', archive, headers);
  expect([filled.status, await filled.text(), readFileSync(join(root, 'kept'), 'utf8')]).toEqual([
    200,
    '{"ok":true}',
    'kept',
  ]);
});

test('[cloudflare.tar] archives with links out, absolute names and ways up are refused, and nothing is written', async () => {
  await using client = await start();
  const box = await client.create();
  const hydrate = (body: Uint8Array | string) => client.refused('POST', `${box}/hydrate`, body);
  expect(await hydrate('')).toEqual([400, 'invalid_request', 'Empty tar payload']);
  expect((await hydrate('A'.repeat(1024)))[0]).toBe(400);
  const tarOf = (...args: string[]) => execFileSync('tar', ['cf', '-', '-P', ...args], { cwd: outside });
  symlinkSync('/etc', join(outside, 'link'));
  expect(await hydrate(tarOf('secret', 'link'))).toEqual([
    400,
    'invalid_request',
    expect.stringContaining('leaves the target'),
  ]);
  expect((await hydrate(tarOf(join(outside, 'secret'))))[2]).toContain('is absolute');
  expect((await hydrate(tarOf('--transform', 's,^,../,', 'secret')))[2]).toContain('contains ..');
  expect(readdirSync(root)).toEqual([]);
});

test('[cloudflare.tunnel] a tunnel is the preview of a port; those of the product are refused', async () => {
  await using client = await start();
  const box = await client.create();
  const opened = await (await client.call('POST', `${box}/tunnel/3000`, { name: 'app' })).json();
  expect(opened).toMatchObject({ port: 3000, url: `http://127.0.0.1:${client.port}/proxy/3000/`, name: 'app' });
  expect((await client.call('DELETE', `${box}/tunnel/3000`)).status).toBe(204);
  for (const own of [8080, 8091, 9222]) {
    expect((await client.refused('POST', `${box}/tunnel/${own}`))[0]).toBe(403);
  }
  for (const wrong of ['0', '65536', 'x', ''])
    expect((await client.refused('POST', `${box}/tunnel/${wrong}`))[0]).toBe(400);
  expect((await client.refused('POST', `${box}/tunnel/3000`, { name: 123 }))[2]).toContain('name must be a string');
  expect((await client.refused('POST', `${box}/tunnel/3000`, { name: 'Bad.Name' }))[2]).toContain('valid DNS label');
});

test('[cloudflare.sandboxes] one sandbox: the second create names it; a deleted id begins again', async () => {
  await using client = await start();
  expect((await client.refused('GET', '/v1/sandbox/other/running'))[0]).toBe(404);
  const box = await client.create();
  expect(await client.refused('POST', '/v1/sandbox')).toEqual([
    429,
    'capacity_exceeded',
    expect.stringMatching(/sandbox box is alive.*SVC_PROTOCOL_SHARED/),
  ]);
  const running = async () => await (await client.call('GET', `${box}/running`)).json();
  expect(await running()).toEqual({ running: true });
  writeFileSync(join(root, 'kept'), '');
  expect((await client.call('DELETE', box)).status).toBe(204);
  expect((await client.call('DELETE', box)).status).toBe(204);
  expect([await running(), readdirSync(root)]).toEqual([{ running: false }, ['kept']]);
  expect((await client.exec(box, ['true'])).exitCode).toBe(0);
  expect(await running()).toEqual({ running: true });
  for (const wrong of ['INVALID', 'my_box', '..%2Fetc', 'a'.repeat(129)]) {
    expect((await client.refused('GET', `/v1/sandbox/${wrong}/running`))[2]).toBe('Invalid sandbox ID format');
  }
  for (const path of ['/sandbox/box/running', '/v1/none', `${box}/none`]) {
    expect((await client.refused('GET', path))[0]).toBe(404);
  }
});

test('[cloudflare.sandboxes] with ids of their own, a delete ends what was started with its id alone', async () => {
  await using client = await start({ protocolShared: true });
  const [one, two] = [await client.create(), await client.create()];
  expect(one).toMatch(/^\/v1\/sandbox\/[a-z2-7]{26}$/);
  const wait = { argv: ['sleep', '600'] };
  const first = await client.call('POST', `${one}/exec`, wait);
  const second = await client.call('POST', `${two}/exec`, wait);
  expect((await client.call('DELETE', one)).status).toBe(204);
  expect(eventsOf(await first.text())).toEqual([{ event: 'exit', data: '{"exit_code":137}' }]);
  const running = (await client.app.inject('/v2/commands')).json().data.commands;
  expect(running.filter(({ status }: { status: string }) => status === 'running')).toHaveLength(1);
  expect(await (await client.call('GET', `${two}/running`)).json()).toEqual({ running: true });
  expect((await client.call('DELETE', two)).status).toBe(204);
  await second.text();
});

test('[cloudflare.not-served] buckets and pools are 501 with a sentence', async () => {
  await using client = await start();
  const box = await client.create();
  for (const path of [`${box}/mount`, `${box}/unmount`, '/v1/pool/prime']) {
    expect((await client.refused('POST', path, {})).slice(0, 2)).toEqual([501, 'not_implemented']);
  }
});

test('[cloudflare.access] health alone is open; everything else needs the key, in its words', async () => {
  await using client = await start({ apiKey: 'key-of-bridge' });
  expect(await (await client.call('GET', '/health')).json()).toEqual({ ok: true });
  for (const bearer of [{}, { authorization: 'Bearer wrong' }]) {
    expect((await client.refused('POST', '/v1/sandbox', undefined, bearer)).slice(0, 2)).toEqual([401, 'unauthorized']);
  }
  const made = await client.call('POST', '/v1/sandbox', undefined, { authorization: 'Bearer key-of-bridge' });
  expect(await made.json()).toEqual({ id: 'box' });
});

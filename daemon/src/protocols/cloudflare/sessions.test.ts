import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import type { Config } from '../../config.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { BridgeClient } from './bridge-client.fixture.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cloudflare-root-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function start(overrides: Partial<Config> = {}, directory?: string): Promise<BridgeClient> {
  return BridgeClient.start({ sandboxId: 'box', cloudflareRoot: root, ...overrides }, directory);
}

test('[cloudflare.sessions] directory, variables and functions reach the next command of the session alone', async () => {
  await using client = await start();
  const box = await client.create();
  mkdirSync(join(root, 'src'));
  const given = { id: 'one', cwd: '/workspace/src', env: { FROM: 'session' } };
  expect(await (await client.call('POST', `${box}/session`, given)).json()).toEqual({ id: 'one' });
  const run = (...argv: string[]) => client.exec(box, argv, {}, 'one');
  expect((await run('sh', '-c', 'pwd; echo $FROM')).stdout).toBe(`${join(root, 'src')}\nsession\n`);
  await run('export', 'A=one two');
  await run('eval', 'greet() { echo "hello $A"; }; cd ..');
  expect((await run('eval', 'greet; pwd')).stdout).toBe(`hello one two\n${root}\n`);
  expect((await client.exec(box, ['pwd'], { cwd: 'src' }, 'one')).stdout).toBe(`${join(root, 'src')}\n`);
  expect((await run('pwd')).stdout).toBe(`${root}\n`);
  expect((await run('exit', '3')).exitCode).toBe(3);
  expect((await client.exec(box, ['sh', '-c', 'echo [$A$FROM]'])).stdout).toBe('[]\n');
});

test('[cloudflare.sessions] ids are checked, made where none is given, and end with what they started', async () => {
  await using client = await start();
  const box = await client.create();
  const { id } = await (await client.call('POST', `${box}/session`)).json();
  for (const wrong of ['../etc/passwd', 'bad/session', 'a b']) {
    const headers = { 'session-id': wrong };
    const refused = await client.refused('POST', `${box}/exec`, { argv: ['true'] }, headers);
    expect(refused).toEqual([400, 'invalid_request', 'Invalid session ID format']);
  }
  const unknown = { 'session-id': 'none' };
  expect((await client.refused('GET', `${box}/file/workspace/f`, undefined, unknown))[0]).toBe(404);
  expect((await client.refused('POST', `${box}/session`, { id }))[0]).toBe(409);
  await client.exec(box, ['cd', '/'], {}, id);
  const kept = readFileSync(join(client.app.directory, 'protocols/cloudflare/sandboxes.json'), 'utf8');
  const [{ directory }] = JSON.parse(kept).sessions;
  expect(existsSync(directory)).toBe(true);
  const running = await client.call('POST', `${box}/exec`, { argv: ['sleep', '600'] }, { 'session-id': id });
  const deleted = await client.call('DELETE', `${box}/session/${id}`);
  expect([deleted.status, await deleted.json()]).toEqual([
    200,
    expect.objectContaining({ success: true, sessionId: id }),
  ]);
  expect(await running.text()).toContain('{"exit_code":137}');
  expect(existsSync(directory)).toBe(false);
  expect((await client.refused('DELETE', `${box}/session/${id}`))[0]).toBe(404);
});

test('[cloudflare.sessions] the variables of a session, and of all, are bounded; a command does not write them', async () => {
  await using client = await start();
  const box = await client.create();
  const make = (value: string) => client.call('POST', `${box}/session`, { env: { A: value } });
  const wide = await client.refused('POST', `${box}/session`, { env: { A: 'x'.repeat(65_536) } });
  expect(wide).toEqual([400, 'invalid_request', 'env has over 65536 bytes of names and values']);
  expect((await client.refused('POST', `${box}/session`, { cwd: 'd'.repeat(4097) }))[0]).toBe(400);
  const { id } = await (await make('x'.repeat(65_535))).json();
  const file = join(client.app.directory, 'protocols/cloudflare/sandboxes.json');
  const before = statSync(file).ino;
  expect((await client.exec(box, ['sh', '-c', 'echo $' + '{#A}'], {}, id)).stdout).toBe('65535\n');
  expect(statSync(file).ino).toBe(before);
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429) statuses.push((await make('x'.repeat(65_535))).status);
  expect(statuses).toHaveLength(15);
  expect((await client.call('DELETE', `${box}/session/${id}`)).status).toBe(200);
  expect((await make('x'.repeat(65_535))).status).toBe(200);
});

test('[cloudflare.records] a command that cannot be recorded is refused and ended; a session is not made', async () => {
  await using client = await start();
  const box = await client.create();
  const records = join(client.app.directory, 'protocols/cloudflare');
  for (const file of ['started.json.next', 'sandboxes.json.next']) mkdirSync(join(records, file));
  const refused = (path: string, body: object) => client.refused('POST', `${box}/${path}`, body);
  expect((await refused('exec', { argv: ['sleep', '600'] })).slice(0, 2)).toEqual([503, 'unavailable']);
  await expect(client.pty(`${box}/pty?shell=/bin/sh`)).rejects.toThrow('503');
  expect((await refused('session', { id: 'one' }))[0]).toBe(503);
  expect((await client.refused('DELETE', `${box}/session/one`))[0]).toBe(404);
  const { commands } = (await client.app.inject('/v2/commands')).json().data;
  expect(commands).toMatchObject([{ status: 'killed' }]);
  expect((await client.app.inject('/v2/pty/sessions')).json().data.stats.total_sessions).toBe(0);
});

test('[cloudflare.pty] a terminal takes input and sizes, tells its end, and ends with its connection', async () => {
  await using client = await start();
  const box = await client.create();
  const first = await client.pty(`${box}/pty?cols=100&rows=30&shell=/bin/sh`);
  await first.until(() => first.messages.length > 0);
  expect(first.messages).toEqual([{ type: 'ready' }]);
  first.type('stty size; pwd\n');
  await first.until(() => first.output.includes('30 100') && first.output.includes(root));
  first.socket.send(JSON.stringify({ type: 'resize', cols: 120, rows: 40 }));
  first.type('stty size\n');
  await first.until(() => first.output.includes('40 120'));
  first.socket.send('not json');
  await first.until(() => first.messages.some(({ type }) => type === 'error'));
  const closed = once(first.socket, 'close');
  first.type('exit 7\n');
  await closed;
  expect(first.messages.at(-1)).toEqual({ type: 'exit', code: 7 });
  const second = await client.pty(`${box}/pty?shell=/bin/sh`);
  second.type('echo up-$((1+1))\n');
  await second.until(() => second.output.includes('up-2'));
  await second.close();
  const open = async () => (await client.app.inject('/v2/pty/sessions')).json().data.stats.total_sessions;
  while ((await open()) > 0) await new Promise(setImmediate);
});

test('[cloudflare.pty] what is no upgrade or has a wrong size is 400', async () => {
  await using client = await start();
  const box = await client.create();
  expect(await client.refused('GET', `${box}/pty`)).toEqual([400, 'invalid_request', 'WebSocket upgrade required']);
  await expect(client.pty(`${box}/pty?cols=abc`)).rejects.toThrow('400');
  await expect(client.pty(`${box}/pty?rows=0`)).rejects.toThrow('400');
  await expect(client.pty('/v1/sandbox/other/pty')).rejects.toThrow('404');
});

test('[cloudflare.pty] the terminal of a session outlives a cut, and the next connection has its output', async () => {
  await using client = await start();
  const box = await client.create();
  await client.call('POST', `${box}/session`, { id: 'one' });
  await client.exec(box, ['export', 'A=kept'], {}, 'one');
  const first = await client.pty(`${box}/pty?session=one`);
  first.type('echo first-$A\n');
  await first.until(() => first.output.includes('first-kept'));
  first.socket.terminate();
  const second = await client.pty(`${box}/pty?session=one`);
  await second.until(() => second.output.includes('first-kept'));
  const closed = once(second.socket, 'close');
  await client.call('DELETE', `${box}/session/one`);
  await closed;
});

test.runIf(process.platform === 'linux')(
  '[cloudflare.restart] sandboxes, sessions and commands outlive the death of the daemon',
  { timeout: 180_000 },
  async () => {
    await using place = await tempDir();
    const env = { SVC_SANDBOX_ID: 'box', SVC_CLOUDFLARE_ROOT: root };
    const post = (base: string, path: string, body: object, session = '') =>
      fetch(`${base}/compat/cloudflare/v1/sandbox${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: session === '' ? {} : { 'session-id': session },
      });
    const first = await DaemonProcess.start(place.path, env);
    await post(first.base, '', {});
    await post(first.base, '/box/session', { id: 'one' });
    await (await post(first.base, '/box/exec', { argv: ['export', 'A=kept'] }, 'one')).text();
    const left = await post(first.base, '/box/exec', { argv: ['sleep', '600'] });
    await first.stop('SIGKILL');
    await left.text().catch(() => undefined);
    await using second = await DaemonProcess.start(place.path, env);
    expect((await post(second.base, '', {})).status).toBe(429);
    const ran = await (await post(second.base, '/box/exec', { argv: ['printenv', 'A'] }, 'one')).text();
    expect(ran).toContain(btoa('kept\n'));
    const running = async () => {
      const { commands } = await second.data('/v2/commands');
      return commands.filter(({ status }: { status: string }) => status === 'running').length;
    };
    expect(await running()).toBe(1);
    await fetch(`${second.base}/compat/cloudflare/v1/sandbox/box`, { method: 'DELETE' });
    while ((await running()) > 0) await new Promise(setImmediate);
  },
);

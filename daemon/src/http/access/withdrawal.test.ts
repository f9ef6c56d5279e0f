import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { readConfig } from '../../config.ts';

const KEY = { 'x-api-key': 'first-key' };

/** A daemon with a key file, and how to replace the key. */
async function withKeyFile(directory: string) {
  const path = join(directory, 'key');
  await writeFile(path, 'first-key');
  const daemon = await TestApp.start(readConfig([], { SVC_API_KEY_FILE: path }));
  return { daemon, base: await daemon.listen(), rotate: () => writeFile(path, 'second-key') };
}

/** The milliseconds until the body of an answer ends. */
async function untilEnd(answer: Response, since: () => number): Promise<number> {
  await answer.arrayBuffer().catch(() => undefined);
  return performance.now() - since();
}

async function open(url: string, headers: Record<string, string> = {}): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers });
  await once(socket, 'open');
  return socket;
}

test('[access.withdrawn] a new key ends terminals, streams and calls of the old one within a second', async () => {
  await using directory = await tempDir();
  const { daemon, base, rotate } = await withKeyFile(directory.path);
  await using _daemon = daemon;
  const fetched = (path: string, init: RequestInit = {}) => fetch(base + path, { headers: KEY, ...init });
  const command = { command: 'echo begun; sleep 60', mode: 'async' };
  const json = { ...KEY, 'content-type': 'application/json' };
  const started = await fetched('/v2/commands', { method: 'POST', headers: json, body: JSON.stringify(command) });
  const { command_id: id } = ((await started.json()) as { data: { command_id: string } }).data;
  const terminal = await open(`${base}/v2/pty/ws`, KEY);
  const answers = await Promise.all([
    fetched(`/v2/commands/${id}`, { headers: { ...KEY, accept: 'application/x-ndjson' } }),
    fetched(`/v2/commands/${id}`, { headers: { ...KEY, accept: 'text/event-stream' } }),
  ]);
  let rotatedAt = 0;
  const ends = answers.map((answer) => untilEnd(answer, () => rotatedAt));
  const unanswered = ['/v2/commands', '/v1/bash/exec', '/compat/swe-rex/execute'].map(async (path) => {
    const body = JSON.stringify({ command: 'sleep 60', ...(path.startsWith('/compat') && { shell: true }) });
    const answer = await fetched(path, { method: 'POST', headers: json, body });
    return [answer.status, await answer.json(), performance.now() - rotatedAt] as const;
  });
  const closed = once(terminal, 'close').then(([code]) => [code, performance.now() - rotatedAt]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const running = async () =>
    ((await (await fetched('/v2/commands?status=running')).json()) as { data: { commands: unknown[] } }).data.commands;
  await expect.poll(async () => (await running()).length, { timeout: 30_000 }).toBe(4);
  await rotate();
  rotatedAt = performance.now();
  for (const ms of await Promise.all(ends)) expect(ms).toBeLessThan(1000);
  const message = 'the credential of this request was withdrawn';
  const refused = await Promise.all(unanswered);
  const inEnvelope = { success: false, message, data: null, hint: expect.stringContaining('another key') };
  expect(refused.map(([status, body]) => [status, body])).toEqual([
    [401, inEnvelope],
    [401, inEnvelope],
    [401, { detail: message }],
  ]);
  for (const [, , ms] of refused) expect(ms).toBeLessThan(1000);
  const [code, ms] = await closed;
  expect(code).toBe(4401);
  expect(ms).toBeLessThan(1000);
});

test('[access.withdrawn] a client that does not read is cut off too', async () => {
  await using directory = await tempDir();
  const { daemon, base, rotate } = await withKeyFile(directory.path);
  await using _daemon = daemon;
  using socket = Object.assign(await open(`${base}/v2/pty/ws`, KEY), { [Symbol.dispose]: () => socket.terminate() });
  socket.pause();
  await rotate();
  const headers = { 'x-api-key': 'second-key' };
  const isOpen = async () => {
    const figures = await (await fetch(`${base}/metrics`, { headers })).text();
    return figures.includes('http_open_websockets 1');
  };
  await expect.poll(isOpen, { timeout: 30_000 }).toBe(false);
});

test('[ticket.revoke] a ticket that is withdrawn admits nothing, and what it opened ends; others go on', async () => {
  await using daemon = await TestApp.start({ apiKey: 'first-key' });
  const base = await daemon.listen();
  const make = async () => (await daemon.post('/v2/tickets', { path_prefix: '/v2/pty', uses: 9 }, KEY)).json().data;
  const [one, other] = [await make(), await make()];
  const [gone, stays] = [
    await open(`${base}/v2/pty/ws?ticket=${one.ticket}`),
    await open(`${base}/v2/pty/ws?ticket=${other.ticket}`),
  ];
  const listed = (await daemon.inject({ url: '/v2/tickets', headers: KEY })).json().data.tickets;
  expect(listed).toMatchObject([
    { id: one.id, path_prefix: '/v2/pty', uses_left: 8, expires_at: one.expires_at },
    { id: other.id },
  ]);
  expect(JSON.stringify(listed)).not.toContain(one.ticket);
  const closed = once(gone, 'close');
  const at = performance.now();
  const revoke = (id: string, headers: Record<string, string> = KEY) =>
    daemon.inject({ method: 'DELETE', url: `/v2/tickets/${id}`, headers });
  expect((await revoke(one.id)).statusCode).toBe(200);
  expect((await closed)[0]).toBe(4401);
  expect(performance.now() - at).toBeLessThan(1000);
  expect((await daemon.inject(`/v2/pty/sessions?ticket=${one.ticket}`)).statusCode).toBe(401);
  expect((await revoke(one.id)).statusCode).toBe(404);
  expect(
    (await daemon.inject({ method: 'DELETE', url: `/v2/tickets/${other.id}?ticket=${other.ticket}` })).statusCode,
  ).toBe(401);
  expect(stays.readyState).toBe(WebSocket.OPEN);
  stays.terminate();
});

test('[ticket.revoke] what a spent ticket opened goes on, and ends when it is withdrawn', async () => {
  await using daemon = await TestApp.start({ apiKey: 'first-key' });
  const base = await daemon.listen();
  const { id, ticket } = (await daemon.post('/v2/tickets', { path_prefix: '/v2/pty', ttl: 1 }, KEY)).json().data;
  const socket = await open(`${base}/v2/pty/ws?ticket=${ticket}`);
  await expect
    .poll(async () => (await daemon.inject({ url: '/v2/tickets', headers: KEY })).json().data.tickets)
    .toEqual([]);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  const closed = once(socket, 'close');
  expect((await daemon.inject({ method: 'DELETE', url: `/v2/tickets/${id}`, headers: KEY })).statusCode).toBe(200);
  expect((await closed)[0]).toBe(4401);
});

test('[cookie.sign-out] a cookie that was signed out opens nothing, also after a restart; another one does', async () => {
  await using directory = await tempDir();
  const page = async (daemon: TestApp) => {
    const headers = { 'x-original-uri': '/?api_key=first-key', 'x-original-method': 'GET', accept: 'text/html' };
    const answer = await daemon.inject({ url: '/internal/auth', headers });
    return String(answer.headers['set-cookie']).split(';')[0] ?? '';
  };
  const status = async (daemon: TestApp, cookie: string) =>
    (await daemon.inject({ url: '/v2/commands', headers: { cookie } })).statusCode;
  let cookie: string;
  let other: string;
  {
    await using daemon = await TestApp.start({ apiKey: 'first-key' }, directory.path);
    [cookie, other] = [await page(daemon), await page(daemon)];
    const base = await daemon.listen();
    const socket = await open(`${base}/v2/pty/ws`, { cookie });
    const closed = once(socket, 'close');
    const answer = await fetch(`${base}/v2/session`, { method: 'DELETE', headers: { cookie } });
    expect([answer.status, await answer.json()]).toMatchObject([200, { data: { cookies: 1 } }]);
    expect((await closed)[0]).toBe(4401);
    expect([await status(daemon, cookie), await status(daemon, other)]).toEqual([401, 200]);
  }
  await using next = await TestApp.start({ apiKey: 'first-key' }, directory.path);
  expect([await status(next, cookie), await status(next, other)]).toEqual([401, 200]);
});

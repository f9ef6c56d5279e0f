import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { archive } from '../../capabilities/files/tree.fixture.ts';
import type { Config } from '../../config.ts';
import { BridgeClient } from './bridge-client.fixture.ts';

const CALLS = 64;
const all = <T>(call: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: CALLS }, (_, n) => call(n)));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cloudflare-root-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function start(overrides: Partial<Config> = {}): Promise<BridgeClient> {
  return BridgeClient.start({ sandboxId: 'box', cloudflareRoot: root, ...overrides });
}

async function commandsOf({ app }: BridgeClient): Promise<{ status: string; command: string }[]> {
  return (await app.inject('/v2/commands')).json().data.commands;
}

async function openTerminals({ app }: BridgeClient): Promise<number> {
  return (await app.inject('/v2/pty/sessions')).json().data.stats.total_sessions;
}

/** A connection that has sent these bytes. */
async function sent({ port }: BridgeClient, head: string, body: string | Buffer = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(head.replace(' /', ' /compat/cloudflare/').replaceAll('\n', '\r\n'));
  socket.write(body);
  return socket;
}

test('[cloudflare.hostile] a time that no timer can hold is refused by its name; a day and an instant are taken', async () => {
  await using client = await start();
  const box = await client.create();
  for (const wrong of ['2147483648', '86400001', '1e308', '1e999', '-1', '0', '"5"', 'true', '[]']) {
    const refused = await client.refused('POST', `${box}/exec`, `{"argv":["true"],"timeout_ms":${wrong}}`);
    expect([wrong, ...refused]).toEqual([wrong, 400, 'invalid_request', expect.stringContaining('timeout_ms')]);
  }
  expect(await commandsOf(client)).toEqual([]);
  expect((await client.exec(box, ['echo', 'day'], { timeout_ms: 86_400_000 })).stdout).toBe('day\n');
  expect((await client.exec(box, ['echo', 'none'], { timeout_ms: null })).stdout).toBe('none\n');
  expect((await client.exec(box, ['sleep', '600'], { timeout_ms: 1e-300 })).error).toContain('was ended after');
});

test('[cloudflare.hostile] a body of many values or levels is refused before it is parsed', async () => {
  await using client = await start();
  const box = await client.create();
  for (const x of ['[],'.repeat(140_000), `${'['.repeat(200)}${']'.repeat(200)},`]) {
    for (const [route, field] of [
      ['exec', '"argv":["true"]'],
      ['session', '"id":"s"'],
      ['tunnel/3000', '"name":"n"'],
    ]) {
      const refused = await client.refused('POST', `${box}/${route}`, `{${field},"x":[${x}0]}`);
      expect([route, ...refused]).toEqual([
        route,
        400,
        'invalid_request',
        expect.stringMatching(/^body has more than/),
      ]);
    }
  }
});

test('[cloudflare.hostile] a body that is cut half-way starts, writes and creates nothing', async () => {
  await using client = await start();
  const box = await client.create();
  const tar = archive({ name: 'first', body: 'x' }, { name: 'second', body: 'x'.repeat(100_000) });
  const halves: [string, string | Buffer, number][] = [
    [`POST ${box}/exec`, '{"argv":["touch","started"]}', 200],
    [`POST ${box}/session`, '{"id":"cut"}', 200],
    [`POST ${box}/hydrate`, tar.subarray(0, 50_000), tar.length],
    [`PUT ${box}/file/workspace/new/file`, 'half', 200],
  ];
  for (const [route, body, length] of halves) {
    const socket = await sent(client, `${route} HTTP/1.1\nhost: localhost\ncontent-length: ${length}\n\n`, body);
    socket.end();
    socket.resume();
    await once(socket, 'close');
  }
  const chunk = `POST ${box}/hydrate HTTP/1.1\nhost: localhost\ntransfer-encoding: chunked\n\n`;
  const lies = await sent(client, chunk, Buffer.concat([Buffer.from('ffffffff\r\n'), tar.subarray(0, 5000)]));
  lies.end();
  lies.resume();
  await once(lies, 'close');
  expect(await commandsOf(client)).toEqual([]);
  const unknown = { 'session-id': 'cut' };
  expect((await client.refused('POST', `${box}/exec`, { argv: ['true'] }, unknown))[0]).toBe(404);
  const left = () => readdirSync(root, { recursive: true }).filter((name) => name !== 'new');
  await expect.poll(left).toEqual([]);
});

test('[cloudflare.hostile] what is no message of a terminal is refused, and harms no other terminal', async () => {
  await using client = await start();
  const box = await client.create();
  const other = await client.pty(`${box}/pty?shell=/bin/sh`);
  const path = `${box}/pty?shell=/bin/sh`;
  const kept = await client.pty(path);
  const wrong = ['', '{', '[]', 'null', '"resize"', '{"type":"resize"}', '{"type":"resize","cols":1e9,"rows":1}'];
  const sizes = ['0', '-1', '1.5', '1001', '"x"', '{}', '1e999', '2147483648'];
  const texts = [...wrong, ...sizes.map((size) => `{"type":"resize","cols":${size},"rows":24}`), '{"type":"none"}'];
  for (const text of texts) kept.socket.send(text);
  await kept.until(() => kept.messages.filter(({ type }) => type === 'error').length === texts.length);
  kept.type('stty size; echo still-$((1+1))\n');
  await kept.until(() => kept.output.includes('24 80') && kept.output.includes('still-2'));
  // Frames: reserved opcode, reserved bits, without a mask, text that is not UTF-8, longer than any message, no frame.
  const frames = ['8380', 'f28000000000', '810161', '818100000000ff', '82ff7fffffffffffffff00000000', '00'.repeat(64)];
  for (const frame of frames) {
    const handshake = `GET ${path} HTTP/1.1\nhost: localhost\nconnection: upgrade\nupgrade: websocket\nsec-websocket-version: 13\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\n\n`;
    const socket = await sent(client, handshake, Buffer.from(frame, 'hex'));
    socket.resume();
    await once(socket, 'close');
  }
  await kept.close();
  await expect.poll(() => openTerminals(client)).toBe(1);
  other.type('echo other-$((1+1))\n');
  await other.until(() => other.output.includes('other-2'));
  for (const shell of ['/no/such/shell', 'a%00b', '/']) {
    await expect(client.pty(`${box}/pty?shell=${shell}`)).rejects.toThrow('400');
  }
});

test('[cloudflare.hostile] 64 calls at once on one id: each has its own answer, and one of 64 equal creates counts', async () => {
  await using client = await start();
  const made = await all(() => client.call('POST', '/v1/sandbox'));
  expect(made.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(made.filter(({ status }) => status === 429)).toHaveLength(CALLS - 1);
  const box = '/v1/sandbox/box';
  mkdirSync(join(root, 'd'));
  const sessions = await all((n) => client.call('POST', `${box}/session`, { id: 'one', cwd: 'd', env: { N: `${n}` } }));
  expect(sessions.map(({ status }) => status).sort()).toEqual([200, ...Array(CALLS - 1).fill(409)]);
  const number = (await client.exec(box, ['printenv', 'N'], {}, 'one')).stdout;
  expect(Number(number)).toBe(sessions.findIndex(({ status }) => status === 200));
  const ran = await all((n) => client.exec(box, ['sh', '-c', `echo ${n}; echo ${n} >&2; exit ${n}`], {}, 'one'));
  expect(ran).toEqual(ran.map((_, n) => ({ stdout: `${n}\n`, stderr: `${n}\n`, exitCode: n, error: undefined })));
  const files = await all((n) => client.call('PUT', `${box}/file/workspace/same`, `${n}`.repeat(50_000)));
  expect(files.every(({ status }) => status === 200)).toBe(true);
  const content = await (await client.call('GET', `${box}/file/workspace/same`)).text();
  expect(content).toMatch(/^(\d+?)\1*$/);
  const deleted = await all(() => client.call('DELETE', `${box}/session/one`));
  expect(deleted.map(({ status }) => status).sort()).toEqual([200, ...Array(CALLS - 1).fill(404)]);
  expect((await all(() => client.call('DELETE', box))).every(({ status }) => status === 204)).toBe(true);
  expect((await commandsOf(client)).filter(({ status }) => status === 'running')).toEqual([]);
});

test('[cloudflare.hostile] connections at once to one session have one terminal, which ends with the session', async () => {
  await using client = await start();
  const box = await client.create();
  await client.call('POST', `${box}/session`, { id: 'one' });
  const ptys = await Promise.all(Array.from({ length: 16 }, () => client.pty(`${box}/pty?session=one&shell=/bin/sh`)));
  expect(await openTerminals(client)).toBe(1);
  ptys[0]?.type('echo shared-$((1+1))\n');
  for (const pty of ptys) await pty.until(() => pty.output.includes('shared-2'));
  const closed = ptys.map(({ socket }) => once(socket, 'close'));
  expect((await client.call('DELETE', `${box}/session/one`)).status).toBe(200);
  await Promise.all(closed);
  expect(await openTerminals(client)).toBe(0);
});

test('[cloudflare.hostile] what starts while its session or sandbox is deleted does not outlive it', async () => {
  await using client = await start();
  const box = await client.create();
  const settled = async (calls: Promise<unknown>[]) => await Promise.allSettled(calls);
  for (let round = 0; round < 4; round += 1) {
    await client.call('POST', `${box}/session`, { id: 'one' });
    const calls = Array.from({ length: 16 }, () => client.exec(box, ['sleep', '600'], {}, 'one'));
    const terminals = Array.from({ length: 4 }, () => client.pty(`${box}/pty?session=one&shell=/bin/sh`));
    const ended = client.call('DELETE', round % 2 ? box : `${box}/session/one`);
    await settled([ended, ...calls, ...terminals]);
    await expect.poll(() => openTerminals(client)).toBe(0);
    expect((await client.refused('DELETE', `${box}/session/one`))[0]).toBe(404);
  }
});

test('[cloudflare.hostile] ids that were never given are 404 on every route, and begin nothing', async () => {
  await using client = await start();
  await client.create();
  for (const id of ['other', 'constructor', '0', 'a'.repeat(128)]) {
    for (const [method, path] of [
      ['POST', 'exec'],
      ['GET', 'file/workspace/f'],
      ['PUT', 'file/workspace/f'],
      ['GET', 'running'],
      ['POST', 'persist'],
      ['POST', 'hydrate'],
      ['GET', 'pty'],
      ['POST', 'session'],
      ['DELETE', 'session/one'],
      ['POST', 'tunnel/3000'],
      ['DELETE', ''],
    ] as const) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : { argv: ['touch', 'x'] };
      const refused = await client.refused(method, `/v1/sandbox/${id}${path && '/'}${path}`, body);
      expect([method, path, ...refused.slice(0, 2)]).toEqual([method, path, 404, 'not_found']);
    }
  }
  expect([await commandsOf(client), readdirSync(root)]).toEqual([[], []]);
});

test('[cloudflare.hostile] bombs are refused by what they say or what comes out of them, and nothing is left', async () => {
  await using client = await start();
  const box = await client.create();
  writeFileSync(join(root, 'kept'), 'kept');
  const small = { name: 'small', body: 'x' };
  const names = Array.from({ length: 5000 }, (_, n) => ({ name: `${'d/'.repeat(n % 40)}${n}`, body: '' }));
  const bombs: [string, Uint8Array, number][] = [
    ['says a size over the cap', archive(small, { name: 'huge', size: 8 * 1024 ** 3 }), 413],
    ['5,000 entries without an end', archive(...names).subarray(0, -2000), 400],
    ['a sparse file', archive(small, { name: 's', type: 'S' }), 400],
    ['a hard link outside', archive(small, { name: 'h', type: '1', link: '/etc/passwd' }), 400],
    ['a compressed half', gzipSync(archive(small)).subarray(0, 40), 400],
    ['zeros behind gzip', gzipSync(Buffer.alloc(1_000_000, 1)), 400],
  ];
  for (const [what, bytes, status] of bombs) {
    const refused = await client.refused('POST', `${box}/hydrate`, bytes);
    expect([what, refused[0]]).toEqual([what, status]);
    expect(readdirSync(root)).toEqual(['kept']);
  }
});

import { expect, test } from 'vitest';
import { collect, E2bClient } from '../e2b-client.fixture.ts';

const start = (text: string) => ({ process: { cmd: '/bin/bash', args: ['-c', text] }, stdin: false });

test('[e2b.control] a sandbox is created, read, listed, prolonged and ended', async () => {
  await using client = await E2bClient.start({ sandboxId: 'box' });
  const created = await client.create({ metadata: { team: 'a b' }, envVars: { FOO: 'bar' }, timeout: 60 });
  expect(created).toMatchObject({ sandboxID: 'box', templateID: 'base', envdVersion: '0.6.4' });
  expect(created).toMatchObject({ envdAccessToken: expect.any(String), trafficAccessToken: expect.any(String) });
  const detail = await (await client.fetch('/sandboxes/box')).json();
  expect(detail).toMatchObject({ state: 'running', metadata: { team: 'a b' }, cpuCount: expect.any(Number) });
  expect(Date.parse(detail.endAt) - Date.parse(detail.startedAt)).toBeGreaterThan(59_000);
  const found = async (query: string) => (await (await client.fetch(`/v2/sandboxes?${query}`)).json()).length;
  const encoded = encodeURIComponent(new URLSearchParams({ team: encodeURIComponent('a b') }).toString());
  expect([await found(''), await found(`metadata=${encoded}`), await found('metadata=team%3Dx')]).toEqual([1, 1, 0]);
  expect(await found('state=paused')).toBe(0);
  const timed = await client.fetch('/sandboxes/box/timeout', { method: 'POST', json: { timeout: 3600 } });
  expect(timed.status).toBe(204);
  const connected = await client.fetch('/v2/sandboxes/box/connect', { method: 'POST', json: { timeout: 10 } });
  expect(await connected.json()).toEqual(created);
  const later = await (await client.fetch('/sandboxes/box')).json();
  expect(Date.parse(later.endAt) - Date.parse(detail.endAt)).toBeGreaterThan(3_500_000);
  const metrics = await (await client.fetch('/sandboxes/box/metrics')).json();
  expect(metrics).toMatchObject([{ memTotal: expect.any(Number), diskTotal: expect.any(Number) }]);
  const { process } = client.rpc();
  expect((await collect(process.start(start('echo $FOO $E2B_SANDBOX_ID')))).stdout).toBe('bar box\n');
  expect((await client.fetch('/sandboxes/box', { method: 'DELETE' })).status).toBe(204);
  expect((await client.fetch('/sandboxes/box', { method: 'DELETE' })).status).toBe(404);
});

test('[e2b.control] the end of a sandbox is the same each time, and queries of time include their bounds', async () => {
  await using client = await E2bClient.start({ sandboxId: 'box' });
  await client.create({ timeout: 60 });
  const { startedAt, endAt } = await (await client.fetch('/sandboxes/box')).json();
  await client.fetch('/v2/sandboxes/box/connect', { method: 'POST', json: { timeout: 10 } });
  for (let n = 0; n < 100; n++) expect((await (await client.fetch('/sandboxes/box')).json()).endAt).toBe(endAt);
  const after = async (at: string) => (await (await client.fetch(`/v2/sandboxes?startedAfter=${at}`)).json()).length;
  expect(await after(startedAt)).toBe(1);
  expect(await after(new Date(Date.parse(startedAt) + 1000).toISOString())).toBe(0);
  const now = Math.floor(Date.now() / 1000);
  const metrics = async (query: string) =>
    (await (await client.fetch(`/sandboxes/box/metrics?${query}`)).json()).length;
  expect(await metrics(`start=${now - 60}&end=${now}`)).toBe(1);
  expect(await metrics(`start=${now - 600}&end=${now - 300}`)).toBe(0);
});

test('[e2b.creators] another create is 429 and names the sandbox; one with the same key answers the first', async () => {
  await using client = await E2bClient.start({ sandboxId: 'box' });
  const headers = { 'idempotency-key': 'k1' };
  const first = await client.create({}, headers);
  expect(await client.create({}, headers)).toEqual(first);
  const second = await client.fetch('/sandboxes', { method: 'POST', json: { templateID: 'base' } });
  expect([second.status, second.headers.get('should-retry')]).toEqual([429, 'false']);
  expect(await second.json()).toMatchObject({ code: 429, message: expect.stringContaining('box') });
});

test('[e2b.creators] shared ids: each sees, ends and times out what was started with it alone', async () => {
  await using client = await E2bClient.start({ protocolShared: true });
  const ids = await Promise.all(Array.from({ length: 32 }, async () => (await client.create()).sandboxID));
  expect(new Set(ids).size).toBe(32);
  const of = (id = '') => client.rpc({ headers: { 'e2b-sandbox-id': id } }).process;
  const runs = await Promise.all(ids.map((id) => collect(of(id).start(start('echo $E2B_SANDBOX_ID ü')))));
  expect(runs.map(({ stdout }) => stdout)).toEqual(ids.map((id) => `${id} ü\n`));
  const [one, two] = ids;
  const streams = [one, two].map((id) => of(id).start(start('sleep 600'))[Symbol.asyncIterator]());
  const pids = await Promise.all(streams.map(async (stream) => (await stream.next()).value.event.event.value.pid));
  expect((await of(one).list({})).processes).toMatchObject([{ pid: pids[0] }]);
  await expect(
    of(two).sendSignal({ process: { selector: { case: 'pid', value: pids[0] } }, signal: 9 }),
  ).rejects.toThrow('not_found');
  expect((await client.fetch(`/sandboxes/${one}`, { method: 'DELETE' })).status).toBe(204);
  await expect(streams[0]?.next()).rejects.toThrow(
    `[unavailable] the sandbox was killed or reached its end of life: ${one}`,
  );
  expect((await of(two).list({})).processes).toMatchObject([{ pid: pids[1] }]);
  const page = await client.fetch('/v2/sandboxes?limit=20');
  expect([(await page.json()).length, page.headers.get('x-next-token')]).toEqual([20, '20']);
  expect((await (await client.fetch('/v2/sandboxes?limit=20&nextToken=20')).json()).length).toBe(11);
});

test('[e2b.timeout] its time ends what was started and frees the id', async () => {
  await using client = await E2bClient.start({ sandboxId: 'box' });
  await client.create({ timeout: 1 });
  await expect(collect(client.rpc().process.start(start('sleep 600')))).rejects.toThrow('[unavailable]');
  await expect.poll(async () => (await client.fetch('/sandboxes/box')).status).toBe(404);
  expect(await client.create()).toMatchObject({ sandboxID: 'box' });
});

test.each([
  ['POST', '/sandboxes/box/pause'],
  ['POST', '/sandboxes/box/fork'],
  ['POST', '/sandboxes/box/snapshots'],
  ['PUT', '/sandboxes/box/network'],
  ['GET', '/templates'],
  ['POST', '/v3/templates'],
  ['GET', '/volumes'],
  ['GET', '/secrets'],
  ['GET', '/snapshots'],
])('[e2b.not-served] %s %s is 501 with a sentence', async (method, path) => {
  await using client = await E2bClient.start({ sandboxId: 'box' });
  await client.create();
  const answer = await client.fetch(path, { method });
  expect([answer.status, (await answer.json()).message.length > 20]).toEqual([501, true]);
});

test('[e2b.control] traffic without a public port is what a service with a key has', async () => {
  const headers = { 'x-api-key': 'k' };
  const tried = async (overrides: object, network: object) => {
    await using client = await E2bClient.start({ apiKey: 'k', ...overrides });
    return (await client.fetch('/v2/sandboxes', { method: 'POST', json: { network }, headers })).status;
  };
  expect(await tried({}, { allowPublicTraffic: false })).toBe(201);
  expect(await tried({}, { allowPublicTraffic: false, denyOut: ['0.0.0.0/0'] })).toBe(501);
  expect(await tried({}, { allowPublicTraffic: true })).toBe(501);
  expect(await tried({ publicPorts: [3000] }, { allowPublicTraffic: false })).toBe(501);
});

test('[e2b.not-served] a create that asks for what one machine has not is 501, and a wrong body 400', async () => {
  await using client = await E2bClient.start();
  const tried = async (json: unknown) => (await client.fetch('/v2/sandboxes', { method: 'POST', json })).status;
  for (const json of [{ autoPause: true }, { network: { denyOut: ['x'] } }, { allow_internet_access: false }]) {
    expect(await tried(json)).toBe(501);
  }
  const wide = { A: 'x'.repeat(65_536) };
  const wrong = [{ timeout: 'x' }, { metadata: { a: 1 } }, { envVars: 'x' }, { metadata: wide }, { envVars: wide }];
  for (const json of wrong) expect(await tried(json)).toBe(400);
});

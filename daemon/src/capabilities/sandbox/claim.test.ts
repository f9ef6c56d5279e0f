import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import type { Config } from '../../config.ts';

const TOKEN = 'pool-token-1';
const KEY = 'claimed-key-of-the-caller';
const PUBLIC = ['/', '/health', '/v1/ping', '/v1/openapi.json', '/v2/openapi.json'];

let directory: string;
let runtime: string;
let pool: Partial<Config>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'claim-'));
  runtime = join(directory, 'runtime');
  pool = { claimTokenFile: join(directory, 'token') };
  await writeFile(join(directory, 'token'), `${TOKEN}\n`);
});

afterEach(() => rm(directory, { recursive: true, force: true }));

function claim(daemon: TestApp, body: object = {}, token = TOKEN) {
  return daemon.post('/v2/sandbox/claim', body, { authorization: `Bearer ${token}` });
}

async function status(daemon: TestApp, url: string, headers: Record<string, string> = {}): Promise<number> {
  return (await daemon.inject({ url, headers })).statusCode;
}

describe('before the claim', () => {
  test('[claim.locked] everything but the public routes and the claim is 401, for the gateway too', async () => {
    await using daemon = await TestApp.start(pool);
    for (const url of PUBLIC) expect(await status(daemon, url), url).toBe(200);
    for (const url of ['/v2/commands', '/v2/sandbox', '/ready', '/metrics', '/v2/nothing', '/v2/sandbox/claim/']) {
      const answer = await daemon.inject(url);
      expect([url, answer.statusCode, answer.json().hint]).toEqual([url, 401, expect.stringMatching(/claim/)]);
    }
    const asked = (uri: string) => status(daemon, '/internal/auth', { 'x-original-uri': uri });
    expect([await asked('/vnc/'), await asked('/health')]).toEqual([401, 204]);
    expect((await daemon.post('/v2/commands', { command: 'true' }, { 'x-api-key': TOKEN })).statusCode).toBe(401);
    expect(await status(daemon, '/v2/commands', { authorization: `Bearer ${TOKEN}` })).toBe(401);
  });

  test('[claim.locked] with a key it serves those who have it, and can be claimed all the same', async () => {
    await using daemon = await TestApp.start({ ...pool, apiKey: 'key-of-boot' });
    expect(await status(daemon, '/v2/commands', { 'x-api-key': 'key-of-boot' })).toBe(200);
    expect((await claim(daemon, { api_key: KEY })).statusCode).toBe(200);
    expect(await status(daemon, '/v2/commands', { 'x-api-key': 'key-of-boot' })).toBe(401);
    expect(await status(daemon, '/v2/commands', { 'x-api-key': KEY })).toBe(200);
  });

  test.each([
    ['a wrong one', { authorization: 'Bearer wrong' }],
    ['none', {}],
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
    ['one in a header of the key', { 'x-api-key': TOKEN }],
  ])('[claim.token] %s is 401 whatever the body, and the sandbox stays free', async (_what, headers) => {
    await using daemon = await TestApp.start(pool);
    const answer = await daemon.post('/v2/sandbox/claim', { api_key: 7 }, headers as Record<string, string>);
    expect([answer.statusCode, answer.json().message]).toEqual([401, 'missing or wrong claim token']);
    expect((await claim(daemon)).statusCode).toBe(200);
  });

  test.each([undefined, KEY])('[claim.token] without a token file, with the key %s, a claim is 401', async (apiKey) => {
    await using daemon = await TestApp.start({ apiKey });
    const answer = await claim(daemon);
    expect([answer.statusCode, answer.json().hint]).toEqual([
      401,
      expect.stringMatching(/neither SVC_CLAIM_TOKEN_FILE nor/),
    ]);
  });

  test('a token file without a token ends the boot in one line', async () => {
    await writeFile(join(directory, 'token'), '\n');
    await expect(TestApp.start(pool)).rejects.toThrow(/^SVC_CLAIM_TOKEN_FILE .* holds no token: [^\n]*$/);
  });

  test.each([
    [{ api_key: 'with space' }, 422],
    [{ env: { 'A=B': '1' } }, 422],
    [{ env: { A: 'x'.repeat(128 * 1024) } }, 422],
    [{ allowed_origins: ['app.example'] }, 422],
    [{ allowed_origins: ['https://app.example/path'] }, 422],
    [{ labels: { a: 1 } }, 422],
    [{ labels: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`l${i}`, 'x'])) }, 422],
  ])('a claim of %j answers %i and is not made', async (body, expected) => {
    await using daemon = await TestApp.start(pool);
    expect((await claim(daemon, body)).statusCode).toBe(expected);
    expect((await claim(daemon)).statusCode).toBe(200);
  });

  test.each(['SVC_API_KEY', 'GATEWAY_PORT', 'RUN_HOOK_INIT', 'SANDBOX_API_KEY'])(
    '[claim.reserved] %s in env is 400 and claims nothing',
    async (name) => {
      await using daemon = await TestApp.start(pool);
      const answer = await claim(daemon, { env: { [name]: 'x' } });
      expect([answer.statusCode, answer.json().message]).toEqual([
        400,
        `env must not have ${name}, which the service keeps to itself`,
      ]);
      expect((await claim(daemon)).statusCode).toBe(200);
    },
  );
});

test('[claim.once] of ten at once one gets it, the others and later ones 409', async () => {
  await using daemon = await TestApp.start(pool);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => claim(daemon, { api_key: `key-number-${i}` })),
  );
  const won = answers.findIndex(({ statusCode }) => statusCode === 200);
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array(9).fill(409)]);
  expect(await status(daemon, '/v2/commands', { 'x-api-key': `key-number-${won}` })).toBe(200);
  expect((await claim(daemon)).statusCode).toBe(409);
});

test('[claim.takes-effect] [late.secrets] key, environment, origins and labels are in force with the answer', async () => {
  await using daemon = await TestApp.start({ ...pool, logLevel: 'debug', allowedOrigins: ['https://boot.example'] });
  const answer = await claim(daemon, {
    api_key: KEY,
    env: { TASK: 'seven', HOME: '/nowhere' },
    allowed_origins: ['https://app.example'],
    labels: { tenant: 'blue' },
  });
  expect(answer.json().data).toEqual({
    claimed_at: expect.any(String),
    has_key: true,
    env: ['TASK', 'HOME'],
    allowed_origins: ['https://app.example'],
    labels: { tenant: 'blue' },
  });
  const headers = { 'x-api-key': KEY };
  expect(await status(daemon, '/v2/commands')).toBe(401);
  const run = await daemon.post('/v2/commands', { command: 'echo "$TASK $HOME"; env' }, headers);
  const { stdout } = run.json().data;
  expect(stdout).toMatch(/^seven \/(?!nowhere)/);
  expect(stdout).not.toContain(KEY);
  for (const origin of ['https://app.example', 'https://boot.example']) {
    const listed = await daemon.inject({ url: '/v2/commands', headers: { ...headers, origin } });
    expect(listed.headers['access-control-allow-origin']).toBe(origin);
  }
  expect((await daemon.inject({ url: '/v2/sandbox', headers })).json().data.labels).toEqual({ tenant: 'blue' });
  daemon.app.log.info({ text: `the key is ${KEY}` }, 'a line of a careless author');
  expect(daemon.log.join('')).toContain('the key is [redacted]');
  expect(daemon.log.join('')).not.toContain(KEY);
});

test('a claim without a key, where there is none, opens the sandbox', async () => {
  await using daemon = await TestApp.start(pool);
  await claim(daemon, { labels: { a: 'b' } });
  expect(await status(daemon, '/v2/commands')).toBe(200);
});

test('[claim.restart] key, environment, origins and labels are there after a restart, without the token file', async () => {
  const terms = { env: { TASK: 'seven' }, allowed_origins: ['https://app.example'], labels: { tenant: 'blue' } };
  {
    await using first = await TestApp.start(pool, runtime);
    expect((await claim(first, { api_key: KEY, ...terms })).statusCode).toBe(200);
  }
  await rm(join(directory, 'token'));
  await using second = await TestApp.start(pool, runtime);
  const headers = { 'x-api-key': KEY };
  expect([await status(second, '/v2/commands'), await status(second, '/v2/commands', headers)]).toEqual([401, 200]);
  expect((await second.post('/v2/commands', { command: 'echo $TASK' }, headers)).json().data.stdout).toBe('seven\n');
  await writeFile(join(directory, 'token'), TOKEN);
  expect((await claim(second)).statusCode).toBe(409);
});

test('[claim.restart] a record that cannot be read ends the boot: the sandbox is not free', async () => {
  await mkdir(runtime, { mode: 0o700 });
  await writeFile(join(runtime, 'claim.json'), '{"apiKey":');
  await expect(TestApp.start(pool, runtime)).rejects.toThrow(/^cannot read the claim .*claim\.json: [^\n]*$/);
});

test('[claim.unwritten] a claim that cannot be written down answers 503 and is not made', async () => {
  await using daemon = await TestApp.start(pool);
  const blocked = join(daemon.directory, 'claim.json.next');
  await mkdir(join(blocked, 'in-the-way'), { recursive: true });
  await chmod(blocked, 0o700);
  const answer = await claim(daemon, { api_key: KEY });
  expect([answer.statusCode, answer.json().hint]).toEqual([503, expect.stringMatching(/claim again/)]);
  expect(await status(daemon, '/v2/commands', { 'x-api-key': KEY })).toBe(401);
  await rm(blocked, { recursive: true });
  expect((await claim(daemon, { api_key: KEY })).statusCode).toBe(200);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pollUntil } from '@sandbox/api/wait.ts';
import { describeOptions } from '@sandbox/program/options.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { type Config, optionsOf, readConfig } from '../../config.ts';
import { WITH_TOYS } from '../capabilities.fixture.ts';
import { echo, loads } from './echo.fixture.ts';
import { tallies, tally } from './tally.fixture.ts';

const KEY = 'key-of-toys';
const PROTOCOLS = [echo, tally];

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sandboxd-protocols-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function start(overrides: Partial<Config> = {}): Promise<TestApp> {
  const config = readConfig([], { SVC_RUNTIME_DIR: directory }, optionsOf([...WITH_TOYS, ...PROTOCOLS]));
  return TestApp.start({ ...config, ...overrides }, directory, WITH_TOYS, undefined, undefined, PROTOCOLS);
}

test('[protocols.seam] a protocol has its options, its prefix, and what a capability provides to it', async () => {
  const options = optionsOf([...WITH_TOYS, ...PROTOCOLS]);
  expect(describeOptions(options).map(({ env }) => env)).toContain('TOY_ECHO_TOKEN');
  expect(() => optionsOf([echo, echo])).toThrow('the option echoToken of echo exists already');
  await using app = await start();
  const answer = await app.inject({ method: 'PUT', url: '/compat/echo/a%2Fb?c=d', payload: 'body' });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toBe('“PUT /a%2Fb?c=d body false”');
  expect(answer.headers['x-request-id']).toBeTruthy();
  expect((await app.inject('/compat/tally/')).body).toBe('1');
});

test('[protocols.lazy] a service is made at its first use, and at the start if something waits for it', async () => {
  const before = loads.echo;
  {
    await using app = await start();
    expect((await app.inject('/v2/commands')).statusCode).toBe(200);
    expect(loads.echo).toBe(before);
    await app.inject('/compat/echo/1');
    await app.inject('/compat/echo/2');
    expect(loads.echo).toBe(before + 1);
    await app.inject('/compat/tally/');
  }
  await using _app = await start();
  await pollUntil(() => tallies.length > 0, { ms: 5000, everyMs: 10, signal: new AbortController().signal });
  expect(tallies).toEqual([1]);
  expect(loads.echo).toBe(before + 1);
});

test('[protocols.gate] the gate decides first; a token of the protocol stands for the key of its own routes alone', async () => {
  await using app = await start({ apiKey: KEY });
  const asked = (headers: Record<string, string>, url = '/compat/echo/x') => app.inject({ url, headers });
  const refused = await asked({});
  expect([refused.statusCode, refused.body]).toEqual([401, 'echo 401: missing or wrong API key']);
  expect(refused.headers['content-type']).toBe('text/plain');
  expect((await asked({ 'x-api-key': KEY })).body).toBe('“GET /x  true”');
  expect((await asked({ 'x-echo-token': 'token-of-echo' })).body).toBe('“GET /x  false”');
  expect((await asked({ 'x-echo-token': 'wrong' })).statusCode).toBe(401);
  for (const url of ['/compat/tally/', '/v2/commands', '/compat/echo', '/compat/echoes/x']) {
    expect((await asked({ 'x-echo-token': 'token-of-echo' }, url)).statusCode).toBe(url === '/compat/echo' ? 200 : 401);
  }
});

test('[protocols.gate] without a key the rules for Host and Origin hold, in the words of the protocol', async () => {
  await using app = await start();
  const host = await app.inject({ url: '/compat/tally/', headers: { host: 'evil.example' } });
  expect([host.statusCode, host.body]).toEqual([403, '{"tally":403}']);
  const headers = { origin: 'http://evil.example', 'x-echo-token': 'token-of-echo' };
  const origin = await app.inject({ method: 'POST', url: '/compat/echo/x', headers });
  expect([origin.statusCode, origin.body.slice(0, 9)]).toEqual([403, 'echo 403:']);
});

test('[protocols.gate] a sandbox that waits for its claim takes no token of a protocol', async () => {
  const claimTokenFile = join(directory, 'claim');
  writeFileSync(claimTokenFile, 'token-of-the-claim', { mode: 0o600 });
  await using app = await start({ claimTokenFile });
  const headers = { 'x-echo-token': 'token-of-echo' };
  expect((await app.inject({ url: '/compat/echo/x', headers })).statusCode).toBe(401);
});

test('[protocols.errors] no error leaks a stack or the envelope', async () => {
  await using app = await start();
  const failed = await app.inject('/compat/echo/fail');
  expect([failed.statusCode, failed.body]).toEqual([500, 'echo 500: internal error']);
});

test('[protocols.report] capabilities and metrics name the protocols', async () => {
  await using app = await start();
  await app.inject('/compat/tally/');
  const { protocols } = (await app.inject('/v1/capabilities')).json().data;
  expect(protocols).toEqual([
    { name: 'echo', path: '/compat/echo', port: null, level: 'whole', missing: [] },
    { name: 'tally', path: '/compat/tally', port: 4321, level: 'some', missing: ['subtraction'] },
  ]);
  expect((await app.inject('/metrics')).body).toContain('protocol_requests_total{protocol="tally",status="200"} 1');
});

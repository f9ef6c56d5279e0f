import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { readConfig } from '../../config.ts';
import { examine } from '../doctor.ts';

const PRIVATE = '/v2/commands';
const HEADERS = { 'x-api-key': 'the-key' };

async function statusOf(daemon: TestApp, headers: Record<string, string> = {}, url = PRIVATE): Promise<number> {
  return (await daemon.inject({ url, headers })).statusCode;
}

test.each([
  ['is gone', (path: string) => rename(path, `${path}-moved`)],
  ['is empty', (path: string) => writeFile(path, '')],
])('[late.closed-restart] where the key file %s, the service is 401 until it is back', async (_what, spoil) => {
  await using directory = await tempDir();
  const [path, runtime] = [join(directory.path, 'key'), join(directory.path, 'runtime')];
  const env = { SVC_API_KEY_FILE: path, SVC_RUNTIME_DIR: runtime };
  await writeFile(path, 'the-key\n');
  {
    await using daemon = await TestApp.start(readConfig([], env), runtime);
    expect(await statusOf(daemon, HEADERS)).toBe(200);
  }
  await spoil(path);
  const config = readConfig([], env);
  await using daemon = await TestApp.start({ ...config, logLevel: 'error' }, runtime);
  expect([await statusOf(daemon), await statusOf(daemon, HEADERS)]).toEqual([401, 401]);
  expect(await statusOf(daemon, {}, '/health')).toBe(200);
  const refused = (await daemon.inject(PRIVATE)).json();
  expect(refused.message).toBe('the service is closed: the file with its key cannot be read');
  expect(refused.hint).toContain('doctor');
  expect(daemon.log.join('')).toContain(`${path} `);
  const findings = await examine(config, []);
  expect(findings.find(({ name }) => name === 'file of the key')).toMatchObject({ ok: false, required: true });
  await writeFile(path, 'the-key\n');
  expect([await statusOf(daemon), await statusOf(daemon, HEADERS)]).toEqual([401, 200]);
});

test('[late.closed-restart] a service that was claimed without a key does not open without its key file', async () => {
  await using directory = await tempDir();
  const [path, token] = [join(directory.path, 'key'), join(directory.path, 'token')];
  const runtime = join(directory.path, 'runtime');
  const env = { SVC_API_KEY_FILE: path, SVC_CLAIM_TOKEN_FILE: token, SVC_RUNTIME_DIR: runtime };
  await Promise.all([writeFile(path, 'the-key'), writeFile(token, 'the-token')]);
  {
    await using daemon = await TestApp.start(readConfig([], env), runtime);
    const claim = await daemon.post('/v2/sandbox/claim', {}, { authorization: 'Bearer the-token' });
    expect(claim.statusCode).toBe(200);
    expect([await statusOf(daemon), await statusOf(daemon, HEADERS)]).toEqual([401, 200]);
  }
  await rm(path);
  await using daemon = await TestApp.start(readConfig([], env), runtime);
  expect(await statusOf(daemon)).toBe(401);
});

test('[late.closed-restart] a sandbox of a pool waits for the file of its token to be back', async () => {
  await using directory = await tempDir();
  const [token, runtime] = [join(directory.path, 'claim'), join(directory.path, 'runtime')];
  const env = { SVC_CLAIM_TOKEN_FILE: token, SVC_RUNTIME_DIR: runtime };
  const other = join(directory.path, 'other');
  await expect(TestApp.start(readConfig([], env), other)).rejects.toThrow(/^SVC_CLAIM_TOKEN_FILE/);
  await writeFile(token, 'the-token');
  await (await TestApp.start(readConfig([], env), runtime))[Symbol.asyncDispose]();
  await rm(token);
  await using daemon = await TestApp.start({ ...readConfig([], env), logLevel: 'error' }, runtime);
  expect(daemon.log.join('')).toContain(token);
  const claim = () => daemon.post('/v2/sandbox/claim', {}, { authorization: 'Bearer the-token' });
  expect([(await claim()).statusCode, await statusOf(daemon)]).toEqual([401, 401]);
  await writeFile(token, 'the-token');
  expect((await claim()).statusCode).toBe(200);
});

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { readConfig } from '../../config.ts';

const PRIVATE = '/v2/commands';

test('[late.key-file] [late.secrets] a new key is valid with the next request, and the old one no more', async () => {
  await using directory = await tempDir();
  const path = join(directory.path, 'key');
  await writeFile(path, 'first-key\n');
  const config = readConfig([], { SVC_API_KEY_FILE: path });
  await using daemon = await TestApp.start({ ...config, logLevel: 'info' });
  const status = async (key: string, url = PRIVATE) =>
    (await daemon.inject({ url, headers: { 'x-api-key': key } })).statusCode;
  expect([await status('first-key'), await status('second-key')]).toEqual([200, 401]);
  const terms = { path_prefix: PRIVATE, uses: 9 };
  const { ticket } = (await daemon.post('/v2/tickets', terms, { 'x-api-key': 'first-key' })).json().data;
  expect(await status('', `${PRIVATE}?ticket=${ticket}`)).toBe(200);
  await writeFile(path, 'second-key\n');
  expect([await status('first-key'), await status('second-key')]).toEqual([401, 200]);
  expect(await status('', `${PRIVATE}?ticket=${ticket}`)).toBe(401);
  daemon.app.log.info('it is second-key');
  expect(daemon.log.join('')).not.toContain('second-key');
});

test.each([
  ['is removed', (path: string) => rm(path)],
  ['is emptied', (path: string) => writeFile(path, '')],
  ['holds two lines', (path: string) => writeFile(path, 'a\nb\n')],
])('[late.key-file] where the file %s, the last key stays valid and nothing is open', async (_what, spoil) => {
  await using directory = await tempDir();
  const path = join(directory.path, 'key');
  await writeFile(path, 'first-key\n');
  await using daemon = await TestApp.start(readConfig([], { SVC_API_KEY_FILE: path }));
  await spoil(path);
  expect((await daemon.inject(PRIVATE)).statusCode).toBe(401);
  expect((await daemon.inject({ url: PRIVATE, headers: { 'x-api-key': 'first-key' } })).statusCode).toBe(200);
});

test('[late.key-file] a sandbox of a pool gets its key by a file that comes after its boot', async () => {
  await using directory = await tempDir();
  const [path, token] = [join(directory.path, 'key'), join(directory.path, 'token')];
  await writeFile(token, 'token');
  const config = readConfig([], { SVC_API_KEY_FILE: path, SVC_CLAIM_TOKEN_FILE: token });
  await using daemon = await TestApp.start(config);
  const headers = { 'x-api-key': 'late-key' };
  expect((await daemon.inject({ url: PRIVATE, headers })).statusCode).toBe(401);
  await writeFile(path, 'late-key');
  expect((await daemon.inject({ url: PRIVATE, headers })).statusCode).toBe(200);
  expect((await daemon.inject(PRIVATE)).statusCode).toBe(401);
});

test('without a token file, a key file that is missing ends the boot', () => {
  expect(() => readConfig([], { SVC_API_KEY_FILE: '/nonexistent/key' })).toThrow(/^SVC_API_KEY_FILE .*\(ENOENT\)$/);
});

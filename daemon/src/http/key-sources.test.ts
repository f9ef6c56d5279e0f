import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../app.fixture.ts';
import { readConfig } from '../config.ts';

const KEY = 'correct-horse-battery';

test('[auth.sandbox-alias] SANDBOX_API_KEY is an alias; SVC_API_KEY takes precedence', () => {
  expect(readConfig([], { SANDBOX_API_KEY: 'a' }).apiKey).toBe('a');
  expect(readConfig([], { SANDBOX_API_KEY: 'a', SVC_API_KEY: 'b' }).apiKey).toBe('b');
  expect(readConfig(['--api-key', 'c'], { SVC_API_KEY: 'b' }).apiKey).toBe('c');
});

test('[auth.key-file] SVC_API_KEY_FILE is read without its last line break', async () => {
  await using directory = await tempDir();
  const path = join(directory.path, 'key');
  await writeFile(path, `${KEY}\n`);
  expect(readConfig([], { SVC_API_KEY_FILE: path }).apiKey).toBe(KEY);
  await writeFile(path, '\n');
  expect(() => readConfig([], { SVC_API_KEY_FILE: path })).toThrow(/^SVC_API_KEY_FILE .* holds no key/);
  expect(() => readConfig([], { SVC_API_KEY_FILE: `${path}-not` })).toThrow(/^SVC_API_KEY_FILE .*\(ENOENT\)$/);
});

test.each([
  ['0.0.0.0', '127.0.0.1', 'warn'],
  ['127.0.0.1', '::', 'warn'],
  ['127.0.0.1', 'localhost', 'info'],
  ['::1', '127.0.0.2', 'info'],
])(
  '[log.open] without a key, a daemon at %s behind a gateway at %s says so at %s',
  async (host, gatewayHost, level) => {
    await using daemon = await TestApp.start({ host, gatewayHost, logLevel: 'info' });
    const lines = daemon.log
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg.includes('SVC_API_KEY is not set'));
    expect(lines).toMatchObject([{ level }]);
    await using closed = await TestApp.start({ host, gatewayHost, apiKey: KEY, logLevel: 'info' });
    expect(closed.log.join('')).not.toContain('SVC_API_KEY is not set');
  },
);

test('[auth.jwt-warning] JWT_PUBLIC_KEY without an API key logs a warning and requires no credential', async () => {
  await using daemon = await TestApp.start({ jwtPublicKey: 'bm90IGEga2V5', logLevel: 'warn' });
  expect((await daemon.inject('/v2/commands')).statusCode).toBe(200);
  expect(daemon.log.join('')).toMatch(/"level":"warn".*JWT_PUBLIC_KEY.*without authentication/);
  await using quiet = await TestApp.start({ jwtPublicKey: 'bm90IGEga2V5', apiKey: KEY, logLevel: 'warn' });
  expect(quiet.log.join('')).not.toContain('JWT_PUBLIC_KEY');
});

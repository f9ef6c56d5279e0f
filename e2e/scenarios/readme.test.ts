import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { commandsOf, follow, GUIDE_KEY } from '../guide-commands.ts';
import { Services } from '../services.ts';
import { runTypeScript } from '../typescript-snippet.ts';

test.each([
  ['with the key of its docker run', { SVC_API_KEY: GUIDE_KEY }],
  ['without a key', {}],
])('[readme.first-calls] each call of the guide works at a service %s', async (_what, env: Record<string, string>) => {
  await using directory = await tempDir();
  await using services = await Services.start(env);
  const commands = (await commandsOf('First calls')).replaceAll('/tmp/', `${directory.path}/`);
  expect(commands.match(/^ *(?:id=\$\()?curl /gm)).toHaveLength(11);
  const output = await follow(commands, services.url, directory.path);
  expect(output).toMatch(/^hello\n\w+\n(?:[^{\n]+\n){3}[{]/);
  expect(output).not.toMatch(/"success":false/);
  expect(output.match(/"success":true/g)?.length).toBeGreaterThanOrEqual(6);
  expect(output).toContain('"type":"exit","status":"completed"');
  expect(await readFile(join(directory.path, 'hello.txt'), 'utf8')).toBe('hello\n');
  expect(await readFile(join(directory.path, 'copy/hello.txt'), 'utf8')).toBe('hello\n');
});

test('the first command of the README prints what stands below it', async () => {
  await using directory = await tempDir();
  await using services = await Services.start({ SVC_API_KEY: GUIDE_KEY });
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const [, commands = '', answer] = /```sh\n(export SANDBOX_URL[^`]+)```\s+```\n([^`]+)```/.exec(readme) ?? [];
  expect(await follow(commands, services.url, directory.path)).toBe(answer);
});

test('the TypeScript of the guide prints what its command writes', async () => {
  await using directory = await tempDir();
  await using services = await Services.start({ SVC_API_KEY: GUIDE_KEY });
  const guide = await readFile(join(ROOT, 'docs/getting-started.md'), 'utf8');
  const [, text = ''] = /```ts\n([^`]+)```/.exec(guide) ?? [];
  const env = { PATH: process.env['PATH'], SANDBOX_URL: services.url, SANDBOX_API_KEY: GUIDE_KEY };
  expect(await runTypeScript(text, directory.path, env)).toMatch(/^hello\n+\w+\n+$/);
});

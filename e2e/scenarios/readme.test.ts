import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { commandsOf, follow, README_KEY } from '../readme-commands.ts';
import { Services } from '../services.ts';

test.each([
  ['with the key of its docker run', { SVC_API_KEY: README_KEY }],
  ['without a key', {}],
])('[readme.first-calls] each call of the README works at a service %s', async (_what, env: Record<string, string>) => {
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

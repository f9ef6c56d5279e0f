import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type TempDir, tempDir } from '../testing/temp-dir.ts';
import { bundleAlone } from './bundle-alone.ts';

const run = promisify(execFile);
const MAIN = `import process from 'node:process';
import { request } from 'node:http';
const loaded = (): boolean => process.moduleLoadList.some((name) => name.endsWith(' http'));
const before = loaded();
void import('./lazy.ts').then(async ({ lazy }) => {
  await using held = { [Symbol.asyncDispose]: async () => console.log('disposed') };
  console.log(JSON.stringify([process.argv.slice(2), lazy, before, typeof request, loaded(), typeof held]));
});
`;

async function built(): Promise<TempDir> {
  const directory = await tempDir();
  const root = directory.path;
  await writeFile(join(root, 'lazy.ts'), 'export const lazy: string = "lazy";');
  await writeFile(join(root, 'main.ts'), MAIN);
  expect(await bundleAlone(root, { name: 'tool', main: 'main.ts' }, root)).toEqual(['tool.cjs', 'tool-program.cjs']);
  await rm(join(root, 'main.ts'));
  return directory;
}

function tool(root: string): Promise<{ readonly stdout: string }> {
  // While it measures coverage, vitest turns the compile cache off, and Node does so in every child it measures too.
  const env = { ...process.env, NODE_V8_COVERAGE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined };
  return run(process.execPath, [join(root, 'tool.cjs'), 'a', '--b'], { cwd: tmpdir(), env });
}

test('a program alone is one file that loads a module of Node when it uses it', async () => {
  await using directory = await built();
  const { stdout } = await tool(directory.path);
  expect(stdout).toBe(`${JSON.stringify([['a', '--b'], 'lazy', false, 'function', true, 'object'])}\ndisposed\n`);
});

test('a program alone fills the compile cache beside it, and runs where it cannot, and without one', async () => {
  await using directory = await built();
  const root = directory.path;
  await tool(root);
  expect(await readdir(join(root, '.cache'))).not.toEqual([]);
  await rm(join(root, '.cache'), { recursive: true });
  await writeFile(join(root, '.cache'), 'no directory');
  expect((await tool(root)).stdout).toContain('"lazy"');
  // As in a Node before version 22.8.
  const entry = await readFile(join(root, 'tool.cjs'), 'utf8');
  await writeFile(join(root, 'tool.cjs'), entry.replaceAll('enableCompileCache', 'enableLater'));
  expect((await tool(root)).stdout).toContain('"lazy"');
});

import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { TreeCopy } from './tree-copy.ts';
import { tryMutant } from './trial.ts';
import type { Verdict } from './verdict.ts';

const JUDGE = [process.execPath, join(ROOT, 'scripts/mutants/judge.ts')];
const SOURCE = 'export const isSmall = (n) => n < 10;\n';
const CONFIG = `export default { test: { projects: [{ test: { name: 'unit', include: ['**/*.test.mjs'] } }] } };`;

interface Tree {
  /** Body of the only test. */
  readonly body: string;
  readonly replacement?: string;
  readonly judge?: readonly string[];
  readonly deadlineMs?: number;
}

/** Tries a mutant of `n < 10` in a small tree of its own. */
async function tried({ body, replacement = 'n <= 10', judge = JUDGE, deadlineMs = 60_000 }: Tree): Promise<Verdict> {
  await using dir = await tempDir();
  await symlink(join(ROOT, 'node_modules'), join(dir.path, 'node_modules'));
  const source = join(dir.path, 'small.mjs');
  await writeFile(source, SOURCE);
  await writeFile(join(dir.path, 'vitest.config.mjs'), CONFIG);
  const imports = `import { describe, expect, test } from 'vitest'; import { isSmall } from './small.mjs';`;
  const suite = `describe('numbers (all)', () => { test('up to 10?', () => { ${body} }); test('none', () => {}); });`;
  await writeFile(join(dir.path, 'a.test.mjs'), `${imports}\n${suite}\n`);
  const mutant = { id: 'one', file: 'small.mjs', text: 'n < 10', replacement };
  const area = { name: 'x', tests: ['a.test.mjs'], mutants: [mutant] };
  const { signal } = new AbortController();
  const verdict = await tryMutant(
    new TreeCopy(dir.path),
    { area, mutant, name: 'x/one' },
    { judge, deadlineMs, signal },
  );
  expect(await readFile(source, 'utf8')).toBe(SOURCE);
  return verdict;
}

test('a mutant is killed by a test that passes without it', async () => {
  expect(await tried({ body: 'expect(isSmall(10)).toBe(false);' })).toEqual({
    kind: 'killed',
    file: 'a.test.mjs',
    test: 'numbers (all) > up to 10?',
  });
});

test('a mutant that no test notices survives', async () => {
  expect(await tried({ body: 'expect(isSmall(9)).toBe(true);' })).toEqual({ kind: 'survived' });
});

test('a test that fails without the mutant too kills nothing', async () => {
  expect(await tried({ body: 'expect(isSmall(9)).toBe(false);' })).toEqual({
    kind: 'unclear',
    reason: 'fails without the mutant too: a.test.mjs > numbers (all) > up to 10?',
  });
});

test('a mutant with which a file cannot be loaded is killed by the file', async () => {
  const body = 'expect(isSmall(10)).toBe(false);';
  expect(await tried({ body, replacement: 'n <' })).toEqual({ kind: 'killed', file: 'a.test.mjs' });
});

test('a mutant with which the tests hang is killed, and so are the tests', async () => {
  const judge = [process.execPath, '-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"];
  expect(await tried({ body: '', judge, deadlineMs: 200 })).toEqual({ kind: 'hung' });
});

test('nothing can be said where the tests do not run', async () => {
  const judge = [process.execPath, '-e', 'console.error("no memory"); process.exit(1)'];
  expect(await tried({ body: '', judge })).toEqual({ kind: 'unclear', reason: 'the tests did not run: no memory' });
});

import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { ROOT } from '../root.ts';
import type { ExpectedSkip } from '../testing/expected-skips.ts';
import type { MachineProperty } from '../testing/machine.ts';
import { tempDir } from '../testing/temp-dir.ts';

export const PASSES = `test('a', () => {});`;
export const FAILS = `test('b', () => { throw new Error('on purpose'); });`;

interface Terms {
  readonly expected?: readonly ExpectedSkip[];
  readonly lacks?: readonly MachineProperty[];
}

/** A project "unit" of its own of these test files, and the step that runs it as this repository runs its tests. */
export async function testFiles(
  files: Readonly<Record<string, readonly string[]>>,
  { expected = [], lacks = [] }: Terms = {},
) {
  const dir = await tempDir();
  const put = (name: string, lines: readonly string[]) => writeFile(join(dir.path, name), lines.join('\n'));
  await symlink(join(ROOT, 'node_modules'), join(dir.path, 'node_modules'));
  for (const [name, lines] of Object.entries(files)) {
    await put(name, [`import { beforeAll, describe, test } from 'vitest';`, ...lines]);
  }
  const quoted = (path: string): string => JSON.stringify(join(ROOT, path));
  await put('vitest.config.mjs', [
    `import { RunReporter } from ${quoted('scripts/testing/run-reporter.ts')};`,
    `const terms = { expected: ${JSON.stringify(expected)},`,
    `  has: (property) => !${JSON.stringify(lacks)}.includes(property) };`,
    `export default { test: { name: 'unit', reporters: [new RunReporter(terms)],`,
    `  setupFiles: [${quoted('scripts/testing/full-tables.ts')}] } };`,
  ]);
  const vitest = [process.execPath, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'];
  return {
    step: { name: 'unit', command: [...vitest, '--root', dir.path], vitest: true },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

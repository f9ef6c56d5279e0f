import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { copyWithoutProtocols, listWithoutProtocols } from './tree-without.ts';

const run = promisify(execFile);

test('the list of protocols loses its entries, and nothing else', () => {
  const list = `import { e2b } from './e2b/index.ts';

/** Every protocol. */
export const PROTOCOLS = [e2b] as const;
`;
  expect(listWithoutProtocols(list)).toBe(`
/** Every protocol. */
export const PROTOCOLS = [] as const;
`);
});

test('[protocols.removable] a copy of the sources without protocols type-checks', { timeout: 600_000 }, async () => {
  await using copy = await tempDir();
  await copyWithoutProtocols(ROOT, copy.path);
  expect(await readdir(join(copy.path, 'daemon/src/protocols'))).toEqual(['index.ts']);
  const compiler = join(copy.path, 'node_modules/.bin/tsc');
  const compiled = run(compiler, ['-p', '.'], { cwd: copy.path, maxBuffer: 16 * 1024 ** 2 });
  await expect(compiled).resolves.toMatchObject({ stdout: '' });
});

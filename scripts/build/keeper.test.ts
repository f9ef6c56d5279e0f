import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { has } from '../testing/machine.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { buildKeeper, KEEPER } from './keeper.ts';

test.runIf(process.platform === 'linux')(
  'the keeper is compiled where its sources have changed or it is gone',
  async () => {
    await using directory = await tempDir();
    const root = directory.path;
    for (const name of ['watch', 'tree']) await mkdir(join(root, 'daemon/keeper', name), { recursive: true });
    for (const name of ['main.c', 'watch/watch.c', 'tree/main.c']) {
      await writeFile(join(root, 'daemon/keeper', name), 'int main(void) { return 2; }');
    }
    expect(await buildKeeper(root)).toBe('built');
    expect(await buildKeeper(root)).toBe('up to date');
    for (const name of ['keeper', 'keeper-watch', 'keeper-tree']) {
      await rm(join(root, 'dist', name));
      expect(await buildKeeper(root)).toBe('built');
    }
    await writeFile(join(root, 'daemon/keeper/more.c'), 'int more;');
    expect(await buildKeeper(root)).toBe('built');
    expect((await readdir(join(root, 'dist'))).sort()).toEqual([
      '.keeper.digest',
      'keeper',
      'keeper-tree',
      'keeper-watch',
    ]);
    await expect(promisify(execFile)(join(root, 'dist/keeper'), [])).rejects.toMatchObject({ code: 2 });
    await writeFile(join(root, 'daemon/keeper/more.c'), 'int unused(int a) { return 0; }');
    await expect(buildKeeper(root)).rejects.toThrow('unused-parameter');
  },
);

for (const compiler of ['gcc', 'clang', 'musl-gcc'] as const) {
  test.runIf(has(compiler))(
    `${compiler} builds the keeper without a warning, hardened`,
    async () => {
      await using directory = await tempDir();
      expect(await buildKeeper(ROOT, { ...KEEPER, compiler }, directory.path)).toBe('built');
      for (const name of ['keeper', 'keeper-watch', 'keeper-tree']) {
        const program = await readFile(join(directory.path, name));
        // ELF's e_type: 3 is a program that can be loaded anywhere.
        expect(program.readUInt16LE(16)).toBe(3);
        expect(program.includes('__stack_chk_fail')).toBe(true);
      }
      // It compiles all of the keeper, which takes long beside other work.
    },
    300_000,
  );
}

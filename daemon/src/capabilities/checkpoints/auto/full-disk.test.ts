import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mayMount } from '../../../../../scripts/testing/may-mount.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { OWN, openEngine, TREE_PROGRAM } from '../engine/tree.fixture.ts';

const MIB = 1024 ** 2;

test.runIf(mayMount && TREE_PROGRAM.isThere)(
  '[checkpoint.auto] on a full disk automatic ones give way, manual ones do not',
  async () => {
    await using directory = await tempDir();
    const [root, disk] = [join(directory.path, 'tree'), join(directory.path, 'disk')];
    mkdirSync(root);
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk]);
    try {
      using engine = openEngine(disk);
      const task = { ...OWN, root: Buffer.from(root) };
      const change = (): void => writeFileSync(join(root, 'file'), randomBytes(9 * MIB));
      for (let tick = 1; tick <= 3; tick += 1) {
        change();
        await engine.createAuto({ ...task, tick });
      }
      expect(engine.records.map(({ tick }) => tick)).toEqual([2, 3]);
      for (let count = 0; count < 2; count += 1) {
        change();
        await engine.create(task);
      }
      const manuals = engine.records.map(({ id }) => id);
      expect(engine.records.map(({ origin }) => origin)).toEqual(['manual', 'manual']);
      change();
      await expect(engine.create(task)).rejects.toMatchObject({ kind: 'disk_full' });
      expect(engine.records.map(({ id }) => id)).toEqual(manuals);
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  },
);

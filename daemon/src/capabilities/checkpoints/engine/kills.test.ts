import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { describeTree, openEngine, Random, TREE_PROGRAM, wholly } from './tree.fixture.ts';

const SEED = Number(process.env['TEST_SEED'] ?? 7);
const KILLS = Number(process.env['CHECKPOINT_KILLS'] ?? 6);
const LOOP = join(import.meta.dirname, 'engine-loop.fixture.ts');

describe.runIf(TREE_PROGRAM.isThere)('kills', () => {
  test(
    `[checkpoint.kill] ${KILLS} kills lose no acknowledged checkpoint and leave no part of a file`,
    async () => {
      await using directory = await tempDir();
      const random = new Random(SEED);
      const [store, tree, acknowledged] = ['store', 'tree', 'ids'].map((name) => join(directory.path, name)) as [
        string,
        string,
        string,
      ];
      mkdirSync(tree);
      for (let kill = 0; kill < KILLS; kill += 1) {
        const child = spawn(process.execPath, [LOOP, store, tree, acknowledged, String(SEED + kill)], {
          stdio: ['ignore', 'inherit', 'inherit'],
        });
        const exited = once(child, 'exit');
        const linesBefore = linesOf(acknowledged).length;
        // At least one checkpoint, so that the kill meets work; the moment after it is random.
        while (linesOf(acknowledged).length === linesBefore && child.exitCode === null) await nextMoment(2);
        await nextMoment(random.below(120));
        child.kill('SIGKILL');
        await exited;
        await verify(store, tree, linesOf(acknowledged));
      }
    },
    20_000 + KILLS * 20_000,
  );
});

/** The store opens, has every acknowledged checkpoint, and restores the last one wholly. */
async function verify(store: string, tree: string, acknowledged: readonly string[]): Promise<void> {
  using engine = openEngine(store);
  const ids = new Set(engine.records.map(({ id }) => id));
  expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  const last = acknowledged.at(-1) ?? '';
  const restored = await engine.restore(wholly(last));
  expect(restored.notRestored).toEqual([]);
  const { counts } = await engine.diff({ id: last, to: undefined, account: undefined, maxChanges: 10 });
  expect(counts).toEqual({ added: 0, removed: 0, modified: 0, metadata: 0, renamed: 0 });
  expect([...describeTree(tree).keys()].filter((path) => path.includes('.svc-restore-'))).toEqual([]);
  expect(readdirSync(store).sort()).toEqual(['checkpoints', 'incoming', 'index', 'name', 'packs']);
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

function nextMoment(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

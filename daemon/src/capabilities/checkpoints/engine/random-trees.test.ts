import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { changeTree, describeTree, OWN, openEngine, Random, TREE_PROGRAM, wholly } from './tree.fixture.ts';

const SEED = Number(process.env['TEST_SEED'] ?? 20_260_101);
const TREES = Number(process.env['CHECKPOINT_TREES'] ?? 12);
const STEPS = 25;

describe.runIf(TREE_PROGRAM.isThere)('random trees', () => {
  test(
    `[checkpoint.exact] restores what a plain walk saw, of ${TREES} trees from seed ${SEED}`,
    async () => {
      for (let index = 0; index < TREES; index += 1) {
        await using directory = await tempDir();
        const random = new Random(SEED + index);
        const tree = join(directory.path, 'tree');
        mkdirSync(tree);
        using engine = openEngine(join(directory.path, 'store'));
        const root = Buffer.from(tree);
        const known: { id: string; state: Map<string, string> }[] = [];
        for (let round = 0; round < 4; round += 1) {
          changeTree(tree, random, STEPS);
          const state = describeTree(tree);
          known.push({ id: (await engine.create({ ...OWN, root })).id, state });
          expect(describeTree(tree)).toEqual(state);
        }
        for (const { id, state } of [...known].sort(() => random.below(3) - 1)) {
          const restored = await engine.restore(wholly(id));
          expect({ seed: SEED + index, notRestored: restored.notRestored }).toEqual({
            seed: SEED + index,
            notRestored: [],
          });
          expect(describeTree(tree)).toEqual(state);
        }
        for (const { id } of known.slice(1)) engine.remove(id);
        await engine.restore(wholly(known[0]?.id ?? ''));
        expect(describeTree(tree)).toEqual(known[0]?.state);
      }
    },
    20_000 + TREES * 10_000,
  );

  test('[checkpoint.diff] a diff between two checkpoints names the paths that a plain walk finds to differ', async () => {
    await using directory = await tempDir();
    const random = new Random(SEED);
    const tree = join(directory.path, 'tree');
    mkdirSync(tree);
    using engine = openEngine(join(directory.path, 'store'));
    const root = Buffer.from(tree);
    changeTree(tree, random, 2 * STEPS);
    const before = describeTree(tree);
    const first = await engine.create({ ...OWN, root });
    changeTree(tree, random, STEPS);
    const after = describeTree(tree);
    const second = await engine.create({ ...OWN, root });
    const { changes } = await engine.diff({ id: first.id, to: second.id, account: undefined, maxChanges: 10_000 });
    const named = new Set(changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])));
    const kindsAndContents = (facts: string | undefined): string | undefined =>
      facts?.split(' ').slice(0, -1).join(' ');
    const differing = [...new Set([...before.keys(), ...after.keys()])].filter((path) => {
      const [old, now] = [before.get(path), after.get(path)];
      const isDirectory = old?.startsWith('4') === true && now?.startsWith('4') === true;
      return isDirectory ? old.split(' ')[0] !== now.split(' ')[0] : kindsAndContents(old) !== kindsAndContents(now);
    });
    expect([...named].sort()).toEqual(differing.sort());
  });
});

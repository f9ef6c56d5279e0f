import { expect, test } from 'vitest';
import { partsOf } from '../../../core/files/tar/names.ts';
import { Links } from './judge.ts';

/** Judges the links of an archive, each a name and a target. */
async function judge(links: readonly (readonly [name: string, to: string])[]): Promise<void> {
  const judged = new Links('/target');
  for (const [name, link] of links) {
    judged.add(partsOf(name, 'entry'), { name, link } as Parameters<Links['add']>[1]);
  }
  await judged.requireWithin();
}

test.each([
  ['a link into itself', [['a', 'a/b']]],
  [
    'two links into each other',
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
  ],
  ['an absolute link into the target', [['d/a', '/target/x']]],
  ['a way up that stays inside', [['d/e/a', '../../x']]],
  [
    'a way up through a link',
    [
      ['d', 'x/y'],
      ['a', 'd/../z'],
    ],
  ],
] as const)('[fs.tree-refused] %s is accepted', async (_what, links) => {
  await judge(links);
});

test.each([
  ['a link out', [['d/a', '../../x']]],
  ['an absolute link out', [['a', '/targets']]],
  [
    'a way up through a link to the root',
    [
      ['d/e', '/target'],
      ['a', 'd/e/..'],
    ],
  ],
  [
    'a loop with a way out behind it',
    [
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'a/../..'],
    ],
  ],
  [
    'a way out through a link of the other order',
    [
      ['a', 'b/..'],
      ['b', '.'],
    ],
  ],
] as const)('[fs.tree-refused] %s is refused', async (_what, links) => {
  await expect(judge(links)).rejects.toThrow(/leaves the target/);
});

test('[work.linear] a chain of 100,000 links that ends outside is refused in time', async () => {
  const before = process.cpuUsage();
  const links = Array.from({ length: 100_000 }, (_, i) => [`l${i}`, `l${i + 1}`] as const);
  await expect(judge([...links, ['l100000', '../out']])).rejects.toThrow(/leaves the target: l0 /);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5_000);
});

test('[work.linear] 1,000 links of 4,000 characters through a link into itself are judged in time', async () => {
  const to = `${'a/'.repeat(2_000)}a`;
  const before = process.cpuUsage();
  await judge([['a', to], ...Array.from({ length: 1_000 }, (_, i) => [`l${i}`, to] as const)]);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5_000);
});

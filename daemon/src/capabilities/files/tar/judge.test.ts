import { expect, test } from 'vitest';
import { Links, partsOf } from './judge.ts';

/** Judges the links of an archive, each a name and a target. */
function judge(links: readonly (readonly [name: string, to: string])[]): void {
  const judged = new Links('/target');
  for (const [name, link] of links) {
    judged.add(partsOf(name, 'entry', '/target'), { name, link } as Parameters<Links['add']>[1]);
  }
  judged.requireWithin();
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
] as const)('[fs.tree-refused] %s is accepted', (_what, links) => {
  expect(() => judge(links)).not.toThrow();
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
] as const)('[fs.tree-refused] %s is refused', (_what, links) => {
  expect(() => judge(links)).toThrow(/leaves the target/);
});

test('[work.linear] a chain of 100,000 links that ends outside is refused in time', () => {
  const began = performance.now();
  const links = Array.from({ length: 100_000 }, (_, i) => [`l${i}`, `l${i + 1}`] as const);
  expect(() => judge([...links, ['l100000', '../out']])).toThrow(/leaves the target: l0 /);
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('[work.linear] 1,000 links of 4,000 characters through a link into itself are judged in time', () => {
  const to = `${'a/'.repeat(2_000)}a`;
  const began = performance.now();
  judge([['a', to], ...Array.from({ length: 1_000 }, (_, i) => [`l${i}`, to] as const)]);
  expect(performance.now() - began).toBeLessThan(5_000);
});

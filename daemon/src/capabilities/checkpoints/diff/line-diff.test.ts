import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Random } from '../engine/tree.fixture.ts';
import { diffLines } from './line-diff.ts';
import { unifiedText } from './unified-text.ts';

/** What both keep is the same, and in the same order. */
function expectSound(before: readonly string[], after: readonly string[]): number {
  const { removed, added } = diffLines(before, after);
  expect(before.filter((_, at) => removed[at] === 0)).toEqual(after.filter((_, at) => added[at] === 0));
  return [...removed, ...added].reduce((sum, one) => sum + one, 0);
}

/** Length of the shortest edit, by the table of all prefixes. */
function shortest(before: readonly string[], after: readonly string[]): number {
  let row = Array.from({ length: after.length + 1 }, (_, index) => index);
  for (const line of before) {
    const next = [(row[0] ?? 0) + 1];
    for (const [index, other] of after.entries())
      next.push(line === other ? (row[index] ?? 0) : 1 + Math.min(row[index + 1] ?? 0, next[index] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

test('the difference of random lists of lines is sound, and the shortest one without anchors', () => {
  const random = new Random(7);
  for (let round = 0; round < 400; round += 1) {
    const lines = (): string[] => Array.from({ length: random.below(14) }, () => `${random.below(4)}\n`);
    const [before, after] = [lines(), lines()];
    const edits = expectSound(before, after);
    // Each line twice: none is unique.
    const twice = [before, after].map((list) => [...list, ...list]);
    const [one = [], other = []] = twice;
    if ([...one, ...other].every((line) => one.includes(line) && other.includes(line)))
      expect(expectSound(one, other)).toBe(shortest(one, other));
    expect(edits).toBeGreaterThanOrEqual(shortest(before, after));
  }
});

test('[checkpoint.text] patch makes the second text of the first one and its unified text', () => {
  const random = new Random(11);
  const directory = mkdtempSync(join(tmpdir(), 'unified-'));
  try {
    const [file, patch] = [join(directory, 'file'), join(directory, 'patch')];
    for (let round = 0; round < 30; round += 1) {
      const before = Array.from({ length: random.below(60) }, () => `line ${random.below(20)}`);
      const after = before.flatMap((line) => (random.below(8) > 0 ? [line] : random.below(2) > 0 ? [] : ['new', line]));
      const [old, fresh] = [before, after].map((list) => list.join('\n') + (random.below(2) > 0 ? '\n' : ''));
      const { text, isCut } = unifiedText(old ?? '', fresh ?? '', 1e6);
      expect([isCut, text === '']).toEqual([false, old === fresh]);
      if (text === '') continue;
      writeFileSync(file, old ?? '');
      writeFileSync(patch, `--- a/file\n+++ b/file\n${text}`);
      execFileSync('git', ['apply', '--unsafe-paths', '--directory', directory, patch], { cwd: directory });
      expect(readFileSync(file, 'utf8')).toBe(fresh);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('the ranges are those of diff -u', () => {
  const of = (before: string, after: string): string => unifiedText(before, after, 1e6).text;
  expect(of('', 'a\n')).toBe('@@ -0,0 +1 @@\n+a\n');
  expect(of('a\n', '')).toBe('@@ -1 +0,0 @@\n-a\n');
  expect(of('a', 'a\n')).toBe('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n');
  const lines = Array.from({ length: 20 }, (_, index) => `${index}\n`);
  const changed = lines.with(2, 'x\n').with(17, 'y\n');
  expect(of(lines.join(''), changed.join(''))).toBe(
    '@@ -1,6 +1,6 @@\n 0\n 1\n-2\n+x\n 3\n 4\n 5\n@@ -15,6 +15,6 @@\n 14\n 15\n 16\n-17\n+y\n 18\n 19\n',
  );
  expect(unifiedText(lines.join(''), changed.join(''), 40)).toEqual({
    text: '@@ -1,6 +1,6 @@\n 0\n 1\n-2\n+x\n 3\n 4\n 5\n',
    isCut: true,
  });
});

test('[checkpoint.text] hostile pairs take linear time', () => {
  const lines = 50_000;
  const random = new Random(3);
  const few = (): string[] => Array.from({ length: lines }, () => `${random.below(2)}\n`);
  const numbered = Array.from({ length: lines }, (_, index) => `${index}\n`);
  const pairs: [string[], string[]][] = [
    [few(), few()],
    [numbered, numbered.toReversed()],
    [
      numbered.map((line, index) => (index % 2 ? 'x\n' : line)),
      numbered.map((line, index) => (index % 2 ? line : 'x\n')),
    ],
    [
      Array(lines).fill('a\n'),
      Array(lines / 2)
        .fill(['b\n', 'a\n'])
        .flat(),
    ],
  ];
  const took = pairs.map(([before, after]) => {
    const began = process.cpuUsage();
    expectSoundFast(before, after);
    const { user } = process.cpuUsage(began);
    return user / 1000;
  });
  // A search without bounds takes minutes for the first one.
  for (const ms of took) expect(ms).toBeLessThan(2000);
});

function expectSoundFast(before: string[], after: string[]): void {
  const { removed, added } = diffLines(before, after);
  const kept = before.filter((_, at) => removed[at] === 0).join('');
  expect(kept === after.filter((_, at) => added[at] === 0).join('')).toBe(true);
}

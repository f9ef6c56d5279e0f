import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { RefNumbers } from './ref-numbers.ts';

const taken = (numbers: RefNumbers, count: number): number[] => Array.from({ length: count }, () => numbers.next());

test('[browser.ref-restart] no number is handed out twice, by whichever run', async () => {
  await using directory = await tempDir();
  const first = taken(new RefNumbers(directory.path), 1500);
  expect(first.slice(0, 3)).toEqual([1, 2, 3]);
  const second = taken(new RefNumbers(directory.path), 3);
  const third = taken(new RefNumbers(directory.path), 1);
  const all = [...first, ...second, ...third];
  expect(new Set(all).size).toBe(all.length);
  expect(await readFile(join(directory.path, 'last-reference'), 'utf8')).toBe('4000');
});

test('[browser.ref-restart] where numbers cannot be kept, chance keeps the runs apart', async () => {
  await using directory = await tempDir();
  const file = join(directory.path, 'last-reference');
  await writeFile(file, 'nonsense');
  const unreadable = taken(new RefNumbers(directory.path), 3);
  await rm(file);
  const kept = new RefNumbers(directory.path);
  expect(taken(kept, 1000).at(-1)).toBe(1000);
  await mkdir(`${file}.next`);
  const unwritable = taken(kept, 3);
  const other = taken(new RefNumbers(directory.path), 3);
  const all = [...unreadable, ...unwritable, ...other];
  expect(Math.min(...all)).toBeGreaterThan(10 ** 9);
  expect(Math.max(...all)).toBeLessThan(10 ** 10);
  expect(new Set(all).size).toBe(all.length);
});

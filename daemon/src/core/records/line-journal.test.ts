import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { LineJournal, readEntries, readLines } from './line-journal.ts';

const TERMS = { reserveBytes: 4096 };

test('[records.journal] lines are found again, after a kill with what was set aside behind them', async () => {
  await using place = await tempDir();
  const path = join(place.path, 'j');
  const killed = new LineJournal(path, TERMS);
  killed.append('1');
  killed.append('2');
  expect(statSync(path).size).toBeGreaterThanOrEqual(4 + TERMS.reserveBytes);
  const next = new LineJournal(path, TERMS);
  next.append('3', { spend: true });
  expect(readLines(path)).toEqual(['1', '2', '3']);
  next.replace(['4']);
  next.append('5');
  next[Symbol.dispose]();
  expect(readFileSync(path, 'utf8')).toBe('4\n5\n');
});

test('[records.journal] journals of earlier versions are read: without zeros, torn, or with the line feed first', async () => {
  await using place = await tempDir();
  const path = join(place.path, 'j');
  writeFileSync(path, '\n["a","1"]\n["b","2"]\n["c');
  using journal = new LineJournal(path, TERMS);
  journal.append('["d","4"]');
  const entries = [
    ['a', '1'],
    ['b', '2'],
    ['d', '4'],
  ];
  expect(readEntries(path)).toEqual(entries);
  // As an earlier version continues it.
  appendFileSync(path, '\n["e","5"]\n');
  expect(readEntries(path)).toEqual([...entries, ['e', '5']]);
});

test('[records.journal] a journal without lines keeps what it has set aside', async () => {
  await using place = await tempDir();
  const path = join(place.path, 'j');
  using journal = new LineJournal(path, TERMS);
  journal.append('x');
  const before = statSync(path).size;
  journal.clear();
  expect([readLines(path), statSync(path).size]).toEqual([[], before]);
});

import { expect, test } from 'vitest';
import { pathOf } from '../../core/files/byte-name.ts';
import { MatchCollector } from './match-collector.ts';

const MIB = 1024 ** 2;
const FILE = pathOf('/a');

function match(length: number) {
  return { file: FILE, lineNumber: 1, line: 'x'.repeat(length), match: '', before: [], after: [] };
}

test('matches over 8 MiB together end the collection by their size', () => {
  const collector = new MatchCollector({ skip: 0, wanted: 100 });
  // With the path each is a little over a mebibyte.
  for (let count = 1; count <= 8; count += 1) expect(collector.add(match(MIB))).toBe(true);
  expect(collector.add(match(1))).toBe(false);
  expect([collector.stop, collector.matches.length]).toEqual(['size', 8]);
});

test('one match more than is wanted ends it by their number, and is not kept', () => {
  const collector = new MatchCollector({ skip: 0, wanted: 2 });
  expect([match(1), match(1)].map((one) => collector.add(one))).toEqual([true, true]);
  expect([collector.isFull, collector.stop]).toEqual([true, undefined]);
  expect(collector.add(match(1))).toBe(false);
  expect([collector.stop, collector.matches.length]).toEqual(['results', 2]);
});

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLines } from '../../records/line-journal.ts';
import { OwnerJournal } from './owner-journal.ts';
import { ProcessOwners } from './process-owners.ts';

const logger = createLogger('test', 'silent');

let directory: string;
let known: Set<string>;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'owners-'));
  known = new Set();
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = (): ProcessOwners => ProcessOwners.open({ ids: () => known }, directory, logger);
const lines = (): string[] => readLines(join(directory, 'owners'));

function start(owners: ProcessOwners, owner: string, id: string): void {
  owners.beginStart(owner, id)[Symbol.dispose]();
  known.add(id);
}

test('an owner is found again by the line that was written before the start', () => {
  const first = open();
  const starting = first.beginStart('a', '1');
  expect(lines()).toEqual(['["a","1"]']);
  known.add('1');
  starting[Symbol.dispose]();
  using second = open();
  expect(second.ownerOf('1')).toBe('a');
  expect(second.idsOf('a')).toEqual(['1']);
  expect(second.idsOf('b')).toEqual([]);
});

test('a torn last line names no owner, and the line after it is whole', () => {
  // As a daemon wrote it whose lines began with the line feed.
  writeFileSync(join(directory, 'owners'), '\n["a","1"]\n["a","2');
  known.add('1');
  known.add('2');
  const { journal, owners } = OwnerJournal.open(directory, logger);
  expect([...owners]).toEqual([['1', 'a']]);
  journal.append('b', '3');
  journal[Symbol.dispose]();
  known.add('3');
  using second = open();
  expect(['1', '2', '3'].map((id) => second.ownerOf(id))).toEqual(['a', undefined, 'b']);
});

test('opening keeps the lines of what the host still has', () => {
  const first = open();
  for (let id = 0; id < 100; id++) start(first, 'a', String(id));
  known = new Set(['7', '99']);
  using second = open();
  expect(lines()).toEqual(['["a","7"]', '["a","99"]']);
  expect(second.ownerOf('8')).toBeUndefined();
});

test('the file stays short however many processes are started, and keeps those that are left', () => {
  using owners = open();
  start(owners, 'a', 'left');
  let longest = 0;
  for (let id = 0; id < 10_000; id++) {
    start(owners, 'a', String(id));
    known.delete(String(id));
    longest = Math.max(longest, statSync(join(directory, 'owners')).size);
  }
  expect(longest).toBeLessThan(1024 * '["a","9999"]\n'.length + 3 * 8192);
  expect(lines()).toContain('["a","left"]');
});

test('with many that are left the file is written anew only after as many starts again', () => {
  using owners = open();
  const inodes = new Set<number>();
  for (let id = 0; id < 8192; id++) {
    start(owners, 'a', String(id));
    inodes.add(statSync(join(directory, 'owners')).ino);
  }
  expect(lines()).toHaveLength(8192);
  expect(owners.idsOf('a')).toHaveLength(8192);
  expect(inodes.size).toBeLessThan(7);
});

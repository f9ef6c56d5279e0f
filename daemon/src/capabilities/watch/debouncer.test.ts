import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Change, type ChangeType, changeOf } from './change.ts';
import { Debouncer } from './debouncer.ts';
import { EventLog, isLoss } from './event-log.ts';
import { wordsOf } from './watching.fixture.ts';

function told(changes: readonly (readonly [ChangeType, string, string?])[]): string[] {
  const handed: Change[] = [];
  const debouncer = new Debouncer(5000, (some) => handed.push(...some));
  for (const [type, path, oldPath] of changes) debouncer.add(changeOf(type, path, false, oldPath ?? null));
  debouncer.flush();
  return handed.map((change) => wordsOf(withNothing(change)));
}

function withNothing(change: Change) {
  return { ...change, seq: 0, mtime: null, size: null, inode: null };
}

test.each([
  {
    name: 'writes are one',
    of: [
      ['write', 'a'],
      ['write', 'b'],
      ['write', 'a'],
    ],
    are: ['write a', 'write b'],
  },
  {
    name: 'writes belong to the creation',
    of: [
      ['create', 'a'],
      ['write', 'a'],
    ],
    are: ['create a'],
  },
  {
    name: 'a mode and a content are two',
    of: [
      ['write', 'a'],
      ['chmod', 'a'],
      ['write', 'a'],
    ],
    are: ['write a', 'chmod a'],
  },
  {
    name: 'what goes and comes is told each time',
    of: [
      ['create', 'a'],
      ['remove', 'a'],
      ['create', 'a'],
      ['write', 'a'],
    ],
    are: ['create a', 'remove a', 'create a'],
  },
  {
    name: 'after a rename the name is new',
    of: [
      ['write', 'a'],
      ['rename', 'b', 'a'],
      ['write', 'a'],
      ['write', 'b'],
    ],
    are: ['write a', 'rename a > b', 'write a', 'write b'],
  },
] as const)('[watch.debounce] of one window, $name', ({ of, are }) => {
  expect(told(of)).toEqual(are);
});

test('[watch.debounce] changes are handed over together when the time is over', async () => {
  const handed = Promise.withResolvers<readonly Change[]>();
  const debouncer = new Debouncer(60, handed.resolve);
  const added = performance.now();
  debouncer.add(changeOf('write', 'a', false));
  debouncer.add(changeOf('write', 'b', false));
  const changes = await handed.promise;
  // A timer of Node may fire in the millisecond before its time.
  expect(performance.now() - added).toBeGreaterThanOrEqual(59);
  expect(changes.map(({ path }) => path)).toEqual(['a', 'b']);
});

test('[watch.debounce] changes that go on do not put off those that wait', async () => {
  let handed: readonly Change[] = [];
  const debouncer = new Debouncer(60, (changes) => {
    handed = changes;
  });
  // One a millisecond, by the clock: what went on being put off would be handed over for its number alone.
  for (let next = performance.now(); handed.length === 0; await turn()) {
    if (performance.now() < next) continue;
    debouncer.add(changeOf('write', `${next}`, false));
    next = performance.now() + 1;
  }
  expect(handed.length).toBeLessThanOrEqual(62);
  debouncer[Symbol.dispose]();
});

test('[watch.kept] a log keeps the newest events, and tells who fell behind', () => {
  const log = new EventLog(3);
  for (const name of ['a', 'b', 'c', 'd', 'e']) log.addEvents([withNothing(changeOf('write', name, false))]);
  expect(log.after(0, 100).map(wordsOf)).toEqual(['too_many_events', 'write c', 'write d', 'write e']);
  expect(log.after(0, 100).map(({ seq }) => seq)).toEqual([2, 3, 4, 5]);
  expect(log.after(2, 2).map(wordsOf)).toEqual(['write c', 'write d']);
  log.addLoss('queue_overflow');
  expect(log.after(5, 100).map(({ seq }) => seq)).toEqual([6]);
  expect(log.after(5, 100).every(isLoss)).toBe(true);
});

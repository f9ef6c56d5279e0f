import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Change, type ChangeType, changeOf } from './change.ts';
import { Debouncer } from './debouncer.ts';
import { wordsOf } from './watching.fixture.ts';

function debounced(changes: readonly (readonly [ChangeType, string, string?])[]): string[] {
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
    name: 'writes are merged',
    of: [
      ['write', 'a'],
      ['write', 'b'],
      ['write', 'a'],
    ],
    are: ['write a', 'write b'],
  },
  {
    name: 'writes are merged with the creation before them',
    of: [
      ['create', 'a'],
      ['write', 'a'],
    ],
    are: ['create a'],
  },
  {
    name: 'a change of mode and a write are two',
    of: [
      ['write', 'a'],
      ['chmod', 'a'],
      ['write', 'a'],
    ],
    are: ['write a', 'chmod a'],
  },
  {
    name: 'each creation and removal is reported',
    of: [
      ['create', 'a'],
      ['remove', 'a'],
      ['create', 'a'],
      ['write', 'a'],
    ],
    are: ['create a', 'remove a', 'create a'],
  },
  {
    name: 'changes after a rename are not merged with earlier ones',
    of: [
      ['write', 'a'],
      ['rename', 'b', 'a'],
      ['write', 'a'],
      ['write', 'b'],
    ],
    are: ['write a', 'rename a > b', 'write a', 'write b'],
  },
] as const)('[watch.debounce] within one window, $name', ({ of, are }) => {
  expect(debounced(of)).toEqual(are);
});

test('[watch.debounce] changes are handed over together when the delay is over', async () => {
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

test('[watch.debounce] further changes do not delay waiting ones', async () => {
  let handed: readonly Change[] = [];
  const debouncer = new Debouncer(60, (changes) => {
    handed = changes;
  });
  // One change a millisecond: if each put off the delay, they would be handed over only when there are too many.
  for (let next = performance.now(); handed.length === 0; await turn()) {
    if (performance.now() < next) continue;
    debouncer.add(changeOf('write', `${next}`, false));
    next = performance.now() + 1;
  }
  expect(handed.length).toBeLessThanOrEqual(62);
  debouncer[Symbol.dispose]();
});

import { expect, test } from 'vitest';
import { type Change, changeOf } from './change.ts';
import { Debouncer } from './debouncer.ts';

test.each(['remove', 'rename'] as const)(
  'what a directory holds is reported again where it comes back after a %s that named the directory alone',
  (type) => {
    const handed: Change[] = [];
    const debouncer = new Debouncer(60_000, (changes) => handed.push(...changes));
    const made = [changeOf('create', 'd', true), changeOf('create', 'd/f', false)];
    const changes = [...made, changeOf(type, 'd', true), ...made];
    for (const change of changes) debouncer.add(change);
    debouncer.flush();
    expect(handed.map((change) => [change.type, change.path])).toEqual(
      changes.map((change) => [change.type, change.path]),
    );
  },
);

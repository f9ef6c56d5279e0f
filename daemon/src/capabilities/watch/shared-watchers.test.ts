import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

test('callers share a watcher of one configuration, and none that differs in any part of it', async () => {
  await using daemon = await TestApp.start();
  const create = async (more: object) => {
    const answer = await daemon.post('/v2/watch', { path: daemon.directory, ...more });
    return answer.json().data.watcher_id as string;
  };
  const terms = { recursive: true, debounce: 50, exclude: ['a', 'b'], include_patterns: ['c'] };
  const first = await create(terms);
  expect(await create({ ...terms, exclude: ['b', 'a'] })).toBe(first);
  const others = [{ recursive: false }, { debounce: 51 }, { exclude: ['a'] }, { include_patterns: [] }];
  const ids = [first];
  for (const other of others) ids.push(await create({ ...terms, ...other }));
  expect(new Set(ids).size).toBe(5);
});

import { expect, test } from 'vitest';
import { type MovedFrom, PendingMoves } from './pending-moves.ts';

const half = (path: string): MovedFrom => ({
  path,
  isDirectory: false,
  isVisible: true,
  isFresh: false,
  node: undefined,
});

test('[watch.rename] a first half waits for its second until all earlier events are delivered', async () => {
  const asked = Promise.withResolvers<void>();
  const delivered = Promise.withResolvers<void>();
  const left: string[] = [];
  const moves = new PendingMoves(
    ({ path }) => left.push(path),
    () => {
      asked.resolve();
      return delivered.promise;
    },
  );
  moves.add(1, half('renamed'));
  moves.add(2, half('gone'));
  await asked.promise;
  expect(moves.take(1)).toEqual(half('renamed'));
  expect(left).toEqual([]);
  delivered.resolve();
  await expect.poll(() => left).toEqual(['gone']);
});

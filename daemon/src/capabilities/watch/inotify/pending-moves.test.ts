import { expect, test } from 'vitest';
import { type MovedFrom, PendingMoves } from './pending-moves.ts';

const half = (path: string): MovedFrom => ({
  path,
  isDirectory: false,
  isVisible: true,
  isFresh: false,
  node: undefined,
});

test('[watch.rename] nothing has left before all that happened was told: the other half may be on its way', async () => {
  const asked = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const left: string[] = [];
  const moves = new PendingMoves(
    ({ path }) => left.push(path),
    () => {
      asked.resolve();
      return told.promise;
    },
  );
  moves.add(1, half('renamed'));
  moves.add(2, half('gone'));
  await asked.promise;
  expect(moves.take(1)).toEqual(half('renamed'));
  expect(left).toEqual([]);
  told.resolve();
  await expect.poll(() => left).toEqual(['gone']);
});

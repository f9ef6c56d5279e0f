import { expect, test } from 'vitest';
import { heldMemory } from '../../scripts/testing/held-memory.ts';
import { CollectedBytes } from './collected-bytes.ts';

test.each([1, 100, 16_383, 16_384, 70_000])('pieces of %i bytes are joined in their order', (size) => {
  const all = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
  const collected = new CollectedBytes();
  for (let at = 0; at < all.length; at += size) collected.add(all.subarray(at, at + size));
  expect(collected.length).toBe(all.length);
  expect(collected.take().equals(all)).toBe(true);
  expect([collected.length, collected.take()]).toEqual([0, Buffer.alloc(0)]);
});

test('small pieces between large ones keep their place', () => {
  const collected = new CollectedBytes();
  const pieces = [5, 20_000, 3, 1, 60_000, 16_000, 16_000].map((size, at) => Buffer.alloc(size, at + 1));
  for (const piece of pieces) collected.add(piece);
  expect(collected.take().equals(Buffer.concat(pieces))).toBe(true);
});

test('[limits.small-pieces] a million pieces of one byte take a few bytes each', () => {
  const collected = new CollectedBytes();
  const before = heldMemory();
  for (let at = 0; at < 1_000_000; at += 1) collected.add(Buffer.alloc(1));
  // As objects they would take over 100 MB.
  expect(heldMemory() - before).toBeLessThan(10 * 1024 ** 2);
  expect(collected.take()).toHaveLength(1_000_000);
});

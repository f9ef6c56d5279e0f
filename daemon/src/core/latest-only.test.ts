import { expect, test, vi } from 'vitest';
import { LatestOnly } from './latest-only.ts';

test('[pty.resize-storm] of many values the first is applied at once, and the last one at the end of the period', async () => {
  const applied: number[] = [];
  const latest = new LatestOnly<number>(20, (value) => applied.push(value));
  for (let value = 1; value <= 60_000; value += 1) latest.push(value);
  expect(applied).toEqual([1]);
  await vi.waitFor(() => expect(applied).toEqual([1, 60_000]));
  latest.push(7);
  latest.push(8);
  expect([latest.drop(), latest.drop(), applied.includes(8)]).toEqual([true, false, false]);
});

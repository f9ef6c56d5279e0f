import { once } from 'node:events';
import { expect, test } from 'vitest';
import { Patience } from './patience.ts';

test('patience ends after its time on an idle machine', async () => {
  const began = performance.now();
  using patience = new Patience({ ms: 20, longestMs: 1e9, lookMs: 1, waitedMs: () => 0 });
  await once(patience.signal, 'abort');
  expect(performance.now() - began).toBeGreaterThanOrEqual(20);
  expect(patience.signal.reason.name).toBe('TimeoutError');
});

test('patience counts no time in which programs waited for a processor, and ends nevertheless', async () => {
  const began = performance.now();
  using patience = new Patience({ ms: 20, longestMs: 200, lookMs: 1, waitedMs: () => performance.now() });
  await once(patience.signal, 'abort');
  expect(performance.now() - began).toBeGreaterThanOrEqual(200);
});

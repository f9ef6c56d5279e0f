import { expect, test } from 'vitest';
import { Readiness } from './readiness.ts';

test('[ready.shared] concurrent callers share one run, and a success is answered for 5 s', async () => {
  let runs = 0;
  const gate = Promise.withResolvers<void>();
  const readiness = new Readiness([
    async () => {
      runs += 1;
      await gate.promise;
      return { name: 'probe', ok: true, detail: 'works' };
    },
  ]);
  const calls = Array.from({ length: 50 }, () => readiness.checks());
  gate.resolve();
  for (const checks of await Promise.all(calls)) expect(checks).toEqual([{ name: 'probe', ok: true, detail: 'works' }]);
  await readiness.checks();
  expect(runs).toBe(1);
  const began = performance.now();
  while (runs === 1) await new Promise((resolve) => setImmediate(resolve)).then(() => readiness.checks());
  expect(performance.now() - began).toBeGreaterThan(4_000);
});

test('[ready.shared] a failure is not answered again', async () => {
  let runs = 0;
  const readiness = new Readiness([
    async () => {
      runs += 1;
      return { name: 'probe', ok: runs > 1, detail: '' };
    },
  ]);
  expect((await readiness.checks())[0]?.ok).toBe(false);
  expect((await readiness.checks())[0]?.ok).toBe(true);
  expect(runs).toBe(2);
});

import { setImmediate } from 'node:timers/promises';
import { createLogger } from '@sandbox/program/logger.ts';
import { expect, test } from 'vitest';
import { WarmPool } from './warm-pool.ts';

test('[code.prewarm] an interpreter that ends before it is taken is not replaced at once, as the next may end as soon', async () => {
  let started = 0;
  let ended = 0;
  const open = async () => {
    started += 1;
    return {
      process: { ended: Promise.resolve() },
      async [Symbol.asyncDispose]() {
        ended += 1;
      },
    };
  };
  await using pool = new WarmPool(1, open, createLogger('test', 'silent'));
  pool.fill();
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  expect([started, ended, pool.size]).toEqual([1, 1, 0]);
});

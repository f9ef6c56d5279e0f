import { expect, test } from 'vitest';
import { CallQueue } from './call-queue.ts';

test('[checkpoint.gone] calls run one after another, and one whose caller left before its turn does not begin', async () => {
  const queue = new CallQueue();
  const begun: number[] = [];
  const first = Promise.withResolvers<string>();
  const calls = [
    queue.run(1, () => first.promise),
    queue.run(2, () => begun.push(2)),
    queue.run(3, () => begun.push(3)),
  ];
  queue.leave(2);
  await expect(calls[1]).rejects.toMatchObject({ kind: 'unavailable' });
  expect(begun).toEqual([]);
  first.resolve('first');
  expect(await Promise.all([calls[0], calls[2]])).toEqual(['first', 1]);
  expect(begun).toEqual([3]);
});

test('[checkpoint.gone] a call that runs gets the signal, and its error is not that of the next one', async () => {
  const queue = new CallQueue();
  const running = queue.run(1, (signal) => {
    queue.leave(1);
    signal.throwIfAborted();
  });
  const next = queue.run(2, (signal) => signal.aborted);
  await expect(running).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await next).toBe(false);
  queue.leave(2);
  queue.leave(99);
  expect(await queue.run(3, () => 'served')).toBe('served');
});

test('[checkpoint.gone] a call that waits too long is refused, with what to do, and never begins', async () => {
  const queue = new CallQueue(20);
  const long = Promise.withResolvers<void>();
  const running = queue.run(1, () => long.promise);
  let hasBegun = false;
  const waiting = queue.run(2, () => {
    hasBegun = true;
  });
  await expect(waiting).rejects.toMatchObject({
    kind: 'unavailable',
    details: { hint: expect.stringContaining('repeat the call'), retryAfter: expect.any(Number) },
  });
  long.resolve();
  await running;
  expect(await queue.run(3, () => 'served')).toBe('served');
  expect(hasBegun).toBe(false);
});

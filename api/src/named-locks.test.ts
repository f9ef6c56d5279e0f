import { expect, test } from 'vitest';
import { NamedLocks } from './named-locks.ts';

test('of one name the next holder waits, also where the one before fails; another name does not', async () => {
  const locks = new NamedLocks();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = locks.hold('a', async () => {
    order.push('first begins');
    await gate.promise;
    order.push('first ends');
    throw new Error('on purpose');
  });
  const second = locks.hold('a', () => void order.push('second'));
  await locks.hold('b', () => void order.push('other'));
  gate.resolve();
  await expect(first).rejects.toThrow('on purpose');
  await second;
  expect(order).toEqual(['first begins', 'other', 'first ends', 'second']);
  expect(locks.isIdle).toBe(true);
});

import { expect, test } from 'vitest';
import { pathOf } from '../../core/files/byte-name.ts';
import { PathLocks } from './path-locks.ts';

test('of one path the next holder waits, also where the one before fails; another path does not', async () => {
  const locks = new PathLocks();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = locks.hold(pathOf('/a'), async () => {
    order.push('first begins');
    await gate.promise;
    order.push('first ends');
    throw new Error('on purpose');
  });
  const second = locks.hold(pathOf('/a'), () => void order.push('second'));
  await locks.hold(pathOf('/b'), () => void order.push('other'));
  gate.resolve();
  await expect(first).rejects.toThrow('on purpose');
  await second;
  expect(order).toEqual(['first begins', 'other', 'first ends', 'second']);
  expect(locks.isIdle).toBe(true);
});

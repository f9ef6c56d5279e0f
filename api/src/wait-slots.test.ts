import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Slots } from './wait.ts';

const NEVER = new AbortController().signal;

test('at most the given number run at once, others follow in order, and an aborted caller gives up its turn', async () => {
  const slots = new Slots(2);
  const first = await slots.take(NEVER);
  const second = await slots.take(NEVER);
  const order: string[] = [];
  const gone = new AbortController();
  const third = slots.take(NEVER).then((slot) => {
    order.push('third');
    return slot;
  });
  const fourth = expect(slots.take(gone.signal)).rejects.toThrow('gone');
  const fifth = slots.take(NEVER).then((slot) => {
    order.push('fifth');
    return slot;
  });
  await turn();
  expect(order).toEqual([]);
  gone.abort(new Error('gone'));
  await fourth;
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  const slot = await third;
  await turn();
  // A place that is released twice is one place.
  expect(order).toEqual(['third']);
  slot[Symbol.dispose]();
  await fifth;
  expect(order).toEqual(['third', 'fifth']);
  second[Symbol.dispose]();
  await expect(slots.take(AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
});

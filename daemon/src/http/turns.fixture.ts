import { setImmediate as nextTurn } from 'node:timers/promises';

/** Turns that the event loop has had until this work was done. */
export async function turnsDuring(work: () => Promise<void>): Promise<number> {
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns += 1) await nextTurn();
  await done;
  return turns;
}

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds that long work may take of one turn of the event loop, whoever does it. */
const BUDGET_MS = 8;

let turnBegan = 0;
let isNoted = false;

/** Whether long work has to let others run before it goes on. */
function isTurnSpent(): boolean {
  if (!isNoted) {
    isNoted = true;
    turnBegan = performance.now();
    setImmediate(() => {
      isNoted = false;
    });
    return false;
  }
  return performance.now() - turnBegan > BUDGET_MS;
}

/** Called between two pieces of long work: comes back at once, or in a turn that has time for another piece. */
export async function yieldToEventLoop(): Promise<void> {
  while (isTurnSpent()) await nextTurn();
}

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds that long work may take of one turn of the event loop, all callers together. */
const BUDGET_MS = 8;

let turnBegan = 0;
let isNoted = false;

/**
 * Whether long work has to let other work run before it continues. A loop over many entries checks it itself and awaits
 * `yieldToEventLoop` only then: an await for each entry takes longer than the work on it.
 */
export function isTurnSpent(): boolean {
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

/** Resolves in a turn of the event loop that has time for another piece of long work: at once, or in a later one. */
export async function yieldToEventLoop(): Promise<void> {
  while (isTurnSpent()) await nextTurn();
}

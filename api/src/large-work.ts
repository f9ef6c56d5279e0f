import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two pieces of large work: enough for a connection and its request to arrive. */
const PAUSE_MS = 2;

let last: Promise<unknown> = Promise.resolve();

/**
 * Resolves when the caller may work for tens of milliseconds on the main thread, such as on a text of megabytes. Other
 * requests are answered between two such pieces, of all callers together.
 */
export async function turnForLargeWork(): Promise<void> {
  const turn = last;
  last = turn.then(() => nextTurn()).then(() => pause(PAUSE_MS));
  await turn;
}

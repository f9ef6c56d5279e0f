import { setImmediate } from 'node:timers/promises';
import type { HostedProcess } from '../../../core/process/process-host.ts';

/** Whether processes have ended; one listener each, however often they are asked. */
const ENDED = new WeakMap<HostedProcess, { isOver: boolean }>();

/** Whether the end of the process is known by the end of this turn of the event loop; at once if it is. */
export async function hasEnded(process: HostedProcess): Promise<boolean> {
  const known = ENDED.get(process) ?? follow(process);
  await Promise.resolve();
  if (!known.isOver) await setImmediate();
  return known.isOver;
}

function follow(process: HostedProcess): { readonly isOver: boolean } {
  const state = { isOver: false };
  ENDED.set(process, state);
  void process.ended.then(() => {
    state.isOver = true;
  });
  return state;
}

import { waitFor } from '@sandbox/api/wait.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import { hasEnded } from './has-ended.ts';

/** Milliseconds that the exit handlers of an interpreter may take; later it is killed. */
export const LEAVE_MS = 3000;

/** Has a process that runs no cell end by itself, so that its exit handlers run; one that does not end is left running. */
export async function leave(process: HostedProcess, ask: () => void | Promise<void>): Promise<void> {
  if (await hasEnded(process)) return;
  await ask();
  await waitFor(process.ended, { ms: LEAVE_MS });
}

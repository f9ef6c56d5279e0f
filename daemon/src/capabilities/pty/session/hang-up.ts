import type { ProcessTarget } from '../../../core/process/process-host.ts';
import { pollUntil } from '../../../core/wait.ts';
import type { TerminalHost } from '../tmux/tmux.ts';

/** Milliseconds between two counts of the processes that are left. */
const LOOK_MS = 20;

/** Sends SIGHUP to the processes of a shell, and SIGKILL to those that are left after `graceMs`. */
export async function hangUp(host: TerminalHost, target: () => ProcessTarget, graceMs: number): Promise<void> {
  if ((await host.signal([target()], 'SIGHUP')) === 0) return;
  await pollUntil(async () => (await host.living([target()])) === 0, { everyMs: LOOK_MS, ms: graceMs });
  await host.signal([target()], 'SIGKILL');
}

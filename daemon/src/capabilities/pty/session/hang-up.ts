import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessTarget } from '../../../core/process/process-host.ts';
import type { TerminalHost } from '../tmux/tmux.ts';

/** Milliseconds between two looks at what is left. */
const LOOK_MS = 20;

/** SIGHUP to the processes of a shell, SIGKILL after `graceMs` to those that are left. */
export async function hangUp(host: TerminalHost, target: () => ProcessTarget, graceMs: number): Promise<void> {
  if ((await host.signal([target()], 'SIGHUP')) === 0) return;
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline && (await host.living([target()])) > 0) await delay(LOOK_MS);
  await host.signal([target()], 'SIGKILL');
}

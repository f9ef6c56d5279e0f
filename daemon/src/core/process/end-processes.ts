import { pollUntil } from '../wait.ts';
import type { ProcessHost, ProcessTarget } from './process-host.ts';

/** Milliseconds between two looks at the processes that are left. */
const LOOK_MS = 20;

export interface EndTerms {
  /** Milliseconds between the first signal and SIGKILL. */
  readonly graceMs: number;
  /** By default SIGTERM. */
  readonly firstSignal?: 'SIGTERM' | 'SIGHUP' | undefined;
  /** Milliseconds between two looks; longer where the caller does not wait for the end. */
  readonly lookEveryMs?: number | undefined;
}

/**
 * Ends all processes of the targets and their descendants: the first signal, then SIGKILL when none is left or the grace
 * is over, since a scan can miss a process during execve. `targets` is read before each step: a target must report that
 * its process was reaped meanwhile.
 * @returns how many processes got the first signal
 * @throws what the host rejects with, after SIGKILL was tried
 */
export async function endProcesses(
  host: Pick<ProcessHost, 'signal' | 'living'>,
  targets: () => readonly ProcessTarget[],
  { graceMs, firstSignal = 'SIGTERM', lookEveryMs = LOOK_MS }: EndTerms,
): Promise<number> {
  try {
    const signalled = await host.signal(targets(), firstSignal);
    await pollUntil(async () => (await host.living(targets())) === 0, { everyMs: lookEveryMs, ms: graceMs });
    return signalled;
  } finally {
    await host.signal(targets(), 'SIGKILL');
  }
}

import { pollUntil } from '@sandbox/api/wait.ts';
import { holdProcesses } from './find/hold-processes.ts';
import type { ProcessHost, ProcessTarget } from './process-host.ts';

/** Milliseconds between two looks at the processes that are left. */
const LOOK_MS = 20;

export interface EndTerms {
  /** Milliseconds between the first signal and SIGKILL. */
  readonly graceMs: number;
  /** By default SIGTERM. */
  readonly firstSignal?: 'SIGTERM' | 'SIGHUP' | undefined;
  /** Milliseconds between two looks; longer if the caller does not wait for the end. */
  readonly lookEveryMs?: number | undefined;
  /**
   * The processes of the targets wait, stopped, until what they started has ended, for half of the grace at most. They
   * start nothing more, and no terminal loses its session leader, whose end sends a second SIGHUP to the foreground
   * group: it would end what a program runs to clean up.
   */
  readonly leadersLast?: boolean | undefined;
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
  { graceMs, firstSignal = 'SIGTERM', lookEveryMs: everyMs = LOOK_MS, leadersLast = false }: EndTerms,
): Promise<number> {
  const deadline = performance.now() + graceMs;
  const haveEnded = (left: number, ms: number) =>
    pollUntil(async () => (await host.living(targets())) <= left, { everyMs, ms });
  const signalFirst = async (): Promise<number> => {
    using held = holdProcesses(leadersLast ? targets() : []);
    const signalled = await host.signal(targets(), firstSignal);
    if (held.count > 0) await haveEnded(held.count, graceMs / 2);
    return signalled;
  };
  try {
    const signalled = await signalFirst();
    await haveEnded(0, deadline - performance.now());
    return signalled;
  } finally {
    await host.signal(targets(), 'SIGKILL');
  }
}

import { constants } from 'node:os';
import { pollUntil } from '@sandbox/api/wait.ts';
import { resetTerminal } from '../../../core/process/find/reset-terminal.ts';
import { hasHandled } from '../../../core/process/find/started-processes.ts';

/** Milliseconds between two looks whether the shell has handled its interrupt, and of all of them. */
const LOOK_MS = 5;
const HANDLED_MS = 2000;

interface RestoredSession {
  readonly open: boolean;
  readonly busy: boolean;
  /** That of the shell. */
  readonly pid: number | null;
}

/**
 * Gives the terminal of a shell without line editing usable modes after programs that were killed. An interrupt drops
 * what was typed at a program in raw mode: the shell has read it as the beginning of its next line. What is typed before
 * the shell has handled the interrupt would be dropped, too.
 * @param shell its pid; another one has a new terminal
 */
export async function restoreTerminal(session: RestoredSession, shell: number): Promise<void> {
  if (session.pid !== shell) return;
  await resetTerminal(shell);
  if (session.pid !== shell || session.busy || !session.open) return;
  try {
    process.kill(shell, 'SIGINT');
  } catch {
    return;
  }
  const isHandled = (): boolean => hasHandled(shell, constants.signals.SIGINT);
  await pollUntil(isHandled, { everyMs: LOOK_MS, ms: HANDLED_MS });
}

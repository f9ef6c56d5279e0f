import { timeoutSignal } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { resetTerminal } from '../../../core/process/find/reset-terminal.ts';
import type { History } from './history.ts';

/** Milliseconds to wait for the prompt that follows Ctrl-C. */
const PROMPT_MS = 200;

interface RestoredSession {
  readonly open: boolean;
  readonly busy: boolean;
  /** That of the shell. */
  readonly pid: number | null;
  readonly history: Pick<History, 'end' | 'advanced'>;
  write(bytes: Uint8Array): Promise<void>;
}

/**
 * Gives the terminal of a shell without line editing usable modes after programs that were killed. Ctrl-C drops what was
 * typed at a program in raw mode: the shell has read it as the beginning of its next line.
 * @param shell its pid; another one has a new terminal
 */
export async function restoreTerminal(session: RestoredSession, shell: number): Promise<void> {
  if (session.pid !== shell) return;
  await resetTerminal(shell);
  if (session.pid !== shell || session.busy || !session.open) return;
  const { end } = session.history;
  await session.write(Buffer.from('\x03')).catch(ignore);
  await session.history.advanced(end, timeoutSignal(PROMPT_MS));
}

import { existsSync, readFileSync } from 'node:fs';
import { pollUntil } from '@sandbox/api/wait.ts';
import { errnoName } from '../../../core/errno-name.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';

/** Milliseconds between two looks at a program. */
const LOOK_MS = 100;

/** Resolves when the program or its reader has ended. The program is polled, since tmux sometimes misses its end. */
export async function endOf(pid: number, reader: HostedProcess): Promise<void> {
  const readerEnd = new AbortController();
  void reader.ended.then(() => readerEnd.abort());
  await pollUntil(() => !isRunning(pid), { everyMs: LOOK_MS, signal: readerEnd.signal });
}

function isRunning(pid: number): boolean {
  try {
    if (!existsSync('/proc/self/stat')) return process.kill(pid, 0);
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch (error) {
    return errnoName(error) === 'EPERM';
  }
}

/**
 * Resets the modes of a terminal whose program has ended: when a client attaches or detaches, a server crashes at the
 * focus event that the program has asked for (tmux 3.3).
 */
export function resetIfEnded(name: string): readonly string[] {
  return ['if-shell', '-F', '-t', `=${name}:`, '#{pane_dead}', `send-keys -R -t =${name}:`];
}

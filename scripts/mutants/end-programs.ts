import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds until what ignores SIGTERM is killed; a keeper ends what it holds before. */
const GRACE_MS = 10_000;
const LOOK_MS = 50;

/**
 * Ends the programs whose files lie below a directory: tests that are stopped in the middle leave detached keepers
 * behind. On Linux alone.
 */
export async function endProgramsBelow(directory: string, graceMs = GRACE_MS): Promise<void> {
  send(programsBelow(directory), 'SIGTERM');
  const deadline = performance.now() + graceMs;
  while (programsBelow(directory).length > 0 && performance.now() < deadline) await delay(LOOK_MS);
  send(programsBelow(directory), 'SIGKILL');
}

function programsBelow(directory: string): number[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => programOf(pid)?.startsWith(`${directory}/`));
}

/** Undefined where it has ended, or belongs to another account. */
function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined;
  }
}

function send(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
  }
}

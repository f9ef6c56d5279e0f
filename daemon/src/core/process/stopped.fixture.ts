import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';

/** Waits until a process has stopped itself: a SIGCONT that is sent before has no effect. */
export async function untilStopped(pid: number | null): Promise<void> {
  await expect.poll(() => readFile(`/proc/${pid}/stat`, 'latin1')).toMatch(/\) T /);
}

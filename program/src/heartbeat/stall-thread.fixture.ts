import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { STALL_THREAD } from './stall-thread.ts';

/** Resolves when the process has the thread that logs where its main thread stands. */
export async function untilWatched(pid: number): Promise<void> {
  const threads = (): string[] =>
    readdirSync(`/proc/${pid}/task`).map((tid) => readFileSync(`/proc/${pid}/task/${tid}/comm`, 'latin1').trim());
  await expect.poll(threads).toContain(STALL_THREAD);
}

import { existsSync, readFileSync } from 'node:fs';

/**
 * Milliseconds that the main threads of processes were ready to run while other programs had the processors, since
 * their start: the second field of `/proc/<pid>/schedstat` (sched-stats.rst of the kernel). 0 if the kernel does not
 * count it, or the process has ended.
 */
export function waitedForProcessorMs(pids: readonly number[]): number {
  return pids.map(waitedMs).reduce((sum, ms) => sum + ms, 0);
}

function waitedMs(pid: number): number {
  const file = `/proc/${pid}/schedstat`;
  if (!existsSync(file)) return 0;
  const [, waited] = readFileSync(file, 'latin1').split(' ');
  return Number(waited) / 1e6;
}

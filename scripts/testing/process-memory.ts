import { readFileSync, writeFileSync } from 'node:fs';

/** Resident memory of a process in bytes: current, and highest since its start or a reset (proc(5): VmRSS, VmHWM). */
export function memoryOf(pid: number): { readonly rss: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { rss: field('VmRSS'), peak: field('VmHWM') };
}

/** Resets the peak (proc(5): clear_refs). */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Growth of a process's memory during the work, in bytes; on Linux. */
export async function growthDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  forgetPeak(pid);
  const before = memoryOf(pid).rss;
  await work();
  return memoryOf(pid).peak - before;
}

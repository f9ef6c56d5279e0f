import { readFileSync, writeFileSync } from 'node:fs';

export const MIB = 1024 ** 2;

/** Bytes of memory that a process holds now, and held at most since `forgetPeak` (proc(5): VmRSS, VmHWM). */
export function memoryOf(pid: number): { readonly rss: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { rss: field('VmRSS'), peak: field('VmHWM') };
}

/** From now on the peak is counted anew. */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** How far the memory of a process rises above what it holds now while the work goes on, in bytes. */
export async function growthDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  forgetPeak(pid);
  const before = memoryOf(pid).rss;
  await work();
  return memoryOf(pid).peak - before;
}

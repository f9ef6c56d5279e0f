import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

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

/** Bytes that a process and its children hold, what they share counted once (proc(5): Pss). */
export function familyMemory(pid: number): number {
  const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  return [String(pid), ...others].map(proportionalSet).reduce((sum, bytes) => sum + bytes, 0);
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(textOf(`/proc/${pid}/status`))?.[1]);
}

function proportionalSet(pid: string): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024;
}

/** Empty where the process is gone. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

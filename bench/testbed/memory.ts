import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

export const MIB = 1024 ** 2;

/** Bytes of memory of a process: current, and peak since `forgetPeak` (proc(5): VmRSS, VmHWM). */
export function memoryOf(pid: number): { readonly rss: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { rss: field('VmRSS'), peak: field('VmHWM') };
}

/** Resets the peak. */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Growth of a process's memory during the work, in bytes. */
export async function growthDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  forgetPeak(pid);
  const before = memoryOf(pid).rss;
  await work();
  return memoryOf(pid).peak - before;
}

/** Bytes of a process and its children, shared pages counted once (proc(5): Pss). */
export function familyMemory(pid: number): number {
  return familyOf(pid)
    .map(proportionalSet)
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** A process and its children. */
export function familyOf(pid: number): string[] {
  return [String(pid), ...childrenOf(pid)];
}

/** The process that works for one that only supervises. @throws Error unless there is exactly one child */
export function onlyChildOf(pid: number): number {
  const [child, ...others] = childrenOf(pid);
  if (child === undefined || others.length > 0) throw new Error(`process ${pid} has not one child`);
  return Number(child);
}

function childrenOf(pid: number): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(textOf(`/proc/${pid}/status`))?.[1]);
}

function proportionalSet(pid: string): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024;
}

/** Empty if the process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

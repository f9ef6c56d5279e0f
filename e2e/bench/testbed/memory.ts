import { readdirSync, readFileSync } from 'node:fs';

export const MIB = 1024 ** 2;

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

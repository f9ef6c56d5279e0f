import { readFileSync, writeFileSync } from 'node:fs';

/** Resident memory of a process in bytes, now or at its peak (`/proc/PID/status`, proc(5)); on Linux. */
export function memoryOf(pid: number, figure: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(new RegExp(`^${figure}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}

/** Has the kernel forget the peak so far (proc(5), clear_refs). */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

import { readFileSync } from 'node:fs';

/** Milliseconds of a tick of proc(5): USER_HZ is 100 on every architecture that Node supports. */
const TICK_MS = 10;
/** Places of utime and stime after the name of the program, which ends with the last parenthesis. */
const USER = 11;
const SYSTEM = 12;

/** Milliseconds of a processor that a process has used (proc(5): utime, stime), on Linux; NaN after its end. */
export function processorTimeOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[USER]) + Number(fields[SYSTEM])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}

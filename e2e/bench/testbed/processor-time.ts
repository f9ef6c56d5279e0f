import { readFileSync } from 'node:fs';
import { familyOf } from './memory.ts';

/** Ticks of a second in /proc (proc(5), sysconf(_SC_CLK_TCK)); 100 on every Linux of today. */
const TICKS = 100;

/** Seconds of processor time of a process and its children so far. */
export function processorSeconds(pid: number): number {
  const ticks = familyOf(pid).map((one) => {
    // After the name, which may have spaces: field 14 is utime, field 15 stime (proc(5)).
    const fields = readFileSync(`/proc/${one}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS;
}

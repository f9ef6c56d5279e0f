import { readFileSync } from 'node:fs';

/**
 * The foreground group of the terminal that a process is on (proc(5), `tpgid`); undefined where the system does not
 * tell, the process is gone, or nobody is in the foreground.
 */
export function foregroundGroup(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[5]);
    return group > 1 ? group : undefined;
  } catch {
    return undefined;
  }
}

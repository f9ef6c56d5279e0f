import { readFileSync } from 'node:fs';

/**
 * The foreground group of the terminal of a process (proc(5), `tpgid`); undefined if the system does not report it,
 * the process has ended, or there is no foreground group.
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

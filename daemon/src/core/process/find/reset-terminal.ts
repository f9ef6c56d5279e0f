import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** Major numbers of pseudo-terminals (Documentation/admin-guide/devices.txt of Linux). */
const FIRST_MAJOR = 136;
const LAST_MAJOR = 143;
/** Milliseconds that stty may take. */
const STTY_MS = 2000;

/**
 * Sets the modes of a process's terminal to those of a new one. A shell without line editing does not restore them after
 * a program that was killed in raw mode. Without effect if the terminal is not known.
 */
export async function resetTerminal(pid: number): Promise<void> {
  const path = terminalOf(pid);
  if (path === undefined) return;
  const bounds = { env: { PATH: '/usr/bin:/bin' }, timeout: STTY_MS, killSignal: 'SIGKILL' } as const;
  await promisify(execFile)('stty', ['-F', path, 'sane'], bounds).catch(() => undefined);
}

/** By the device number (proc(5), `tty_nr`): a descriptor of the process may be any file. */
function terminalOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const device = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[4]);
    const major = (device >> 8) & 0xfff;
    const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
    if (major < FIRST_MAJOR || major > LAST_MAJOR) return undefined;
    return `/dev/pts/${(major - FIRST_MAJOR) * 256 + minor}`;
  } catch {
    return undefined;
  }
}

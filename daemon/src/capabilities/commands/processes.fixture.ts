import { readFile } from 'node:fs/promises';

/** Whether a process runs; a zombie does not. */
export async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}

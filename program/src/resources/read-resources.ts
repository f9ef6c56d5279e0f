import { readFile, statfs } from 'node:fs/promises';
import { cpus, freemem, totalmem } from 'node:os';
import { performance } from 'node:perf_hooks';
import { type GroupFigures, readControlGroup } from './control-group.ts';
import type { Resources } from './resources.ts';

const CGROUP = '/sys/fs/cgroup';

/**
 * Reads the figures of the control group that is mounted as the root, as in a container; else, and for what it does not
 * limit, those of the machine.
 * @param cgroup directory of the control groups
 */
export async function readResources(cgroup: string = CGROUP): Promise<Resources> {
  const [group, disk] = await Promise.all([readControlGroup(cgroup), statfs('/').catch(() => undefined)]);
  const machine = { used: totalmem() - freemem(), total: totalmem() };
  return {
    of: group === undefined ? 'machine' : 'container',
    cpu: { ...cpuOf(group), at_ms: performance.now() },
    memory:
      group?.memory === undefined
        ? machine
        : { used: group.memory, total: Math.min(group.memoryLimit ?? machine.total, machine.total) },
    disk:
      disk === undefined ? null : { used: (disk.blocks - disk.bfree) * disk.bsize, total: disk.blocks * disk.bsize },
    oom_kills: group === undefined ? await killsOfMachine() : (group.oomKills ?? null),
  };
}

/** Since its boot (Linux, proc_vmstat(5)). */
async function killsOfMachine(): Promise<number | null> {
  const text = await readFile('/proc/vmstat', 'utf8').catch(() => '');
  const [, count] = /^oom_kill (\d+)$/m.exec(text) ?? [];
  return count === undefined ? null : Number(count);
}

function cpuOf(group: GroupFigures | undefined): { used_ms: number; count: number } {
  const machine = cpus();
  if (group?.cpuMs !== undefined) {
    return { used_ms: group.cpuMs, count: Math.min(group.cpus ?? machine.length, machine.length) };
  }
  const busy = machine.reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
  return { used_ms: busy, count: machine.length };
}

import { readFile, statfs } from 'node:fs/promises';
import { cpus, freemem, totalmem } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Resources, Usage } from './state-fields.ts';

const CGROUP = '/sys/fs/cgroup';

/**
 * Reads the figures of the control group (cgroup v2) that is mounted as the root, as in a container; else, and for what
 * it does not limit, those of the machine.
 * @param cgroup directory of the control group
 */
export async function readResources(cgroup: string = CGROUP): Promise<Resources> {
  const file = (name: string): Promise<string> => readFile(`${cgroup}/${name}`, 'utf8').catch(() => '');
  const [cpuStat, cpuMax, current, max, stat, disk] = await Promise.all([
    file('cpu.stat'),
    file('cpu.max'),
    file('memory.current'),
    file('memory.max'),
    file('memory.stat'),
    statfs('/').catch(() => undefined),
  ]);
  const machine = { used: totalmem() - freemem(), total: totalmem() };
  return {
    cpu: { ...cpuOf(cpuStat, cpuMax), at_ms: performance.now() },
    memory: memoryOf(current, max, stat) ?? machine,
    disk:
      disk === undefined ? null : { used: (disk.blocks - disk.bfree) * disk.bsize, total: disk.blocks * disk.bsize },
  };
}

function cpuOf(stat: string, max: string): { used_ms: number; count: number } {
  const machine = cpus();
  const micros = fieldOf(stat, 'usage_usec');
  const [quota, period] = max.trim().split(' ').map(Number);
  const isLimited = quota !== undefined && period !== undefined && quota > 0 && period > 0;
  const limit = isLimited ? quota / period : machine.length;
  // The root group of a machine counts its idle loop on some kernels; the times of the processors never do.
  if (micros !== undefined && max !== '') return { used_ms: micros / 1000, count: Math.min(limit, machine.length) };
  const busy = machine.reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
  return { used_ms: busy, count: machine.length };
}

/** Without the file cache, which the kernel gives back when memory is needed. */
function memoryOf(current: string, max: string, stat: string): Usage | undefined {
  const used = Number(current);
  if (current === '' || !Number.isFinite(used)) return undefined;
  const limit = Number(max);
  const total = Number.isFinite(limit) && limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { used: Math.max(0, used - (fieldOf(stat, 'inactive_file') ?? 0)), total };
}

function fieldOf(text: string, name: string): number | undefined {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  const value = line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
  return Number.isFinite(value) ? value : undefined;
}

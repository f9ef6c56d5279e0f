import { readFile } from 'node:fs/promises';

/** What a control group reports of itself (cgroups(7)); a figure that it does not have is undefined. */
export interface GroupFigures {
  readonly cpuMs: number | undefined;
  /** Processors that it may use at a time; undefined without a limit. */
  readonly cpus: number | undefined;
  /** Bytes, without the file cache, which the kernel gives back when memory is needed. */
  readonly memory: number | undefined;
  /** Bytes; undefined without a limit. */
  readonly memoryLimit: number | undefined;
  readonly oomKills: number | undefined;
}

/** Version 1 reports a huge number if memory has no limit. */
const NO_LIMIT = 2 ** 60;
/** In the root group of version 1 only, which is the machine's. */
const MARK_OF_ROOT = 'memory/cgroup.sane_behavior';

/**
 * The figures of the control group that is mounted as the root of `directory`, as in a container, of version 2 or 1.
 * @returns undefined for the root group of a machine, or without control groups
 */
export async function readControlGroup(directory: string): Promise<GroupFigures | undefined> {
  const file = (name: string): Promise<string> => readFile(`${directory}/${name}`, 'utf8').catch(() => '');
  const names = ['memory.current', 'memory/memory.usage_in_bytes', MARK_OF_ROOT];
  const [current = '', usage = '', mark] = await Promise.all(names.map(file));
  if (current !== '') return readVersion2(file, current);
  if (usage === '' || mark !== '') return undefined;
  return readVersion1(file, usage);
}

type ReadFile = (name: string) => Promise<string>;

async function readVersion2(file: ReadFile, current: string): Promise<GroupFigures> {
  const names = ['cpu.stat', 'cpu.max', 'memory.max', 'memory.stat', 'memory.events'];
  const [cpuStat = '', cpuMax = '', max = '', stat = '', events = ''] = await Promise.all(names.map(file));
  const [quota, period] = cpuMax.trim().split(' ').map(Number);
  const micros = fieldOf(cpuStat, 'usage_usec');
  return {
    // The root group of a machine counts its idle loop on some kernels, and has no limit of its own.
    cpuMs: micros === undefined || cpuMax === '' ? undefined : micros / 1000,
    cpus: processors(quota, period),
    memory: withoutCache(current, fieldOf(stat, 'inactive_file')),
    memoryLimit: limitOf(max),
    oomKills: fieldOf(events, 'oom_kill'),
  };
}

async function readVersion1(file: ReadFile, usage: string): Promise<GroupFigures> {
  const names = [
    'cpuacct/cpuacct.usage',
    'cpu/cpu.cfs_quota_us',
    'cpu/cpu.cfs_period_us',
    'memory/memory.limit_in_bytes',
    'memory/memory.stat',
    'memory/memory.oom_control',
  ];
  const [nanos = '', quota, period, limit = '', stat = '', events = ''] = await Promise.all(names.map(file));
  return {
    cpuMs: nanos === '' ? undefined : Number(nanos) / 1e6,
    cpus: processors(Number(quota), Number(period)),
    memory: withoutCache(usage, fieldOf(stat, 'total_inactive_file')),
    memoryLimit: limitOf(limit),
    oomKills: fieldOf(events, 'oom_kill'),
  };
}

function processors(quota: number | undefined, period: number | undefined): number | undefined {
  const isLimited = quota !== undefined && period !== undefined && quota > 0 && period > 0;
  return isLimited ? quota / period : undefined;
}

function withoutCache(used: string, cache = 0): number | undefined {
  const bytes = Number(used);
  return used === '' || !Number.isFinite(bytes) ? undefined : Math.max(0, bytes - cache);
}

function limitOf(text: string): number | undefined {
  const limit = Number(text);
  return text !== '' && Number.isFinite(limit) && limit > 0 && limit < NO_LIMIT ? limit : undefined;
}

function fieldOf(text: string, name: string): number | undefined {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  const value = line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
  return Number.isFinite(value) ? value : undefined;
}

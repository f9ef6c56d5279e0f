import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { readResources } from './read-resources.ts';

const MIB = 1024 ** 2;

async function group(files: Readonly<Record<string, string>>): Promise<Awaited<ReturnType<typeof tempDir>>> {
  const directory = await tempDir();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory.path, name)), { recursive: true });
    await writeFile(join(directory.path, name), text);
  }
  return directory;
}

test('[app.state] the figures are those of the control group, memory without the file cache', async () => {
  await using directory = await group({
    'cpu.stat': 'usage_usec 2500000\nuser_usec 1\n',
    'cpu.max': '50000 100000\n',
    'memory.current': `${300 * MIB}\n`,
    'memory.max': `${512 * MIB}\n`,
    'memory.stat': `anon 1\nactive_file 7\ninactive_file ${100 * MIB}\n`,
    'memory.events': 'low 0\noom 3\noom_kill 2\n',
  });
  const { of, cpu, memory, disk, oom_kills } = await readResources(directory.path);
  expect([of, oom_kills]).toEqual(['container', 2]);
  expect(cpu).toMatchObject({ used_ms: 2500, count: 0.5 });
  expect(memory).toEqual({ used: 200 * MIB, total: 512 * MIB });
  expect(disk?.total).toBeGreaterThan(disk?.used ?? Number.POSITIVE_INFINITY);
});

test('[app.state] what the control group does not limit has the limits of the machine', async () => {
  await using directory = await group({
    'cpu.stat': 'usage_usec 1000\n',
    'cpu.max': 'max 100000\n',
    'memory.current': '1048576\n',
    'memory.max': 'max\n',
    'memory.stat': '',
  });
  const { cpu, memory } = await readResources(directory.path);
  expect([cpu.count, memory]).toEqual([cpus().length, { used: MIB, total: totalmem() }]);
});

/** What a container sees of control groups of version 1 with limits of half a processor and 512 MiB. */
const VERSION_1 = {
  'cpuacct/cpuacct.usage': '2500000000\n',
  'cpu/cpu.cfs_quota_us': '50000\n',
  'cpu/cpu.cfs_period_us': '100000\n',
  'memory/memory.usage_in_bytes': `${300 * MIB}\n`,
  'memory/memory.limit_in_bytes': `${512 * MIB}\n`,
  'memory/memory.stat': `inactive_file 1\ntotal_inactive_file ${100 * MIB}\n`,
  'memory/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
};

test('[app.state] control groups of version 1 have the same figures', async () => {
  await using limited = await group(VERSION_1);
  expect(await readResources(limited.path)).toMatchObject({
    of: 'container',
    cpu: { used_ms: 2500, count: 0.5 },
    memory: { used: 200 * MIB, total: 512 * MIB },
    oom_kills: 2,
  });
  await using open = await group({
    ...VERSION_1,
    'cpu/cpu.cfs_quota_us': '-1\n',
    'memory/memory.limit_in_bytes': '9223372036854771712\n',
  });
  const { cpu, memory } = await readResources(open.path);
  expect([cpu.count, memory.total]).toEqual([cpus().length, totalmem()]);
});

test('[app.state] the root group of a machine, of version 1, is the machine', async () => {
  await using directory = await group({ ...VERSION_1, 'memory/cgroup.sane_behavior': '0\n' });
  const { of, memory, oom_kills } = await readResources(directory.path);
  expect([of, memory.total]).toEqual(['machine', totalmem()]);
  expect(oom_kills).not.toBe(2);
});

test('[app.state] without a control group they are those of the machine', async () => {
  await using directory = await group({});
  const { of, cpu, memory } = await readResources(directory.path);
  expect([of, cpu.count, memory.total]).toEqual(['machine', cpus().length, totalmem()]);
  expect(cpu.used_ms).toBeGreaterThan(0);
  expect(memory.used).toBeGreaterThan(0);
});

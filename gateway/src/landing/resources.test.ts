import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { readResources } from './resources.ts';

const MIB = 1024 ** 2;

async function group(files: Readonly<Record<string, string>>): Promise<Awaited<ReturnType<typeof tempDir>>> {
  const directory = await tempDir();
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory.path, name), text);
  return directory;
}

test('[app.state] the figures are those of the control group, memory without the file cache', async () => {
  await using directory = await group({
    'cpu.stat': 'usage_usec 2500000\nuser_usec 1\n',
    'cpu.max': '50000 100000\n',
    'memory.current': `${300 * MIB}\n`,
    'memory.max': `${512 * MIB}\n`,
    'memory.stat': `anon 1\nactive_file 7\ninactive_file ${100 * MIB}\n`,
  });
  const { cpu, memory, disk } = await readResources(directory.path);
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

test('[app.state] without a control group they are those of the machine', async () => {
  await using directory = await group({});
  const { cpu, memory } = await readResources(directory.path);
  expect([cpu.count, memory.total]).toEqual([cpus().length, totalmem()]);
  expect(cpu.used_ms).toBeGreaterThan(0);
  expect(memory.used).toBeGreaterThan(0);
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readNetwork } from '@sandbox/program/resources/network.ts';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { HISTORY_MS, SAMPLE_MS, UsageHistory } from './usage-history.ts';

test('[system.usage] the route has limits and samples', async () => {
  await using daemon = await TestApp.start();
  const { data } = (await daemon.inject('/v2/system/usage')).json();
  expect(data).toMatchObject({
    of: expect.stringMatching(/^(?:container|machine)$/),
    interval: SAMPLE_MS / 1000,
    samples: [],
  });
  expect(data.cpu_count).toBeGreaterThan(0);
  expect(data.memory_total).toBeGreaterThan(1e6);
});

test('[system.usage] samples follow each other, with the processors that were busy, and the oldest are dropped', async () => {
  using history = new UsageHistory(1);
  await expect.poll(() => history.samples.length, { timeout: 20_000 }).toBeGreaterThan(0);
  const [first] = history.samples;
  await expect.poll(() => history.samples.length, { timeout: 60_000, interval: 5 }).toBe(HISTORY_MS / SAMPLE_MS);
  await expect.poll(() => history.samples.includes(first as never), { timeout: 60_000, interval: 5 }).toBe(false);
  const { samples } = history;
  expect(samples).toHaveLength(180);
  expect(samples.map(({ at }) => at.getTime())).toEqual(samples.map(({ at }) => at.getTime()).sort((a, b) => a - b));
  // This test is busy itself.
  expect(samples.some(({ cpu }) => cpu > 0)).toBe(true);
  for (const { memory, disk } of samples) expect([memory > 1e6, (disk ?? 1) > 0]).toEqual([true, true]);
});

test('[system.usage] the network is that of all interfaces but the loopback', async () => {
  await using directory = await tempDir();
  const file = join(directory.path, 'dev');
  const line = (name: string, received: number, sent: number): string =>
    `${name.padStart(6)}: ${received} 1 0 0 0 0 0 0 ${sent} 1 0 0 0 0 0 0\n`;
  await writeFile(
    file,
    `Inter-|   Receive\n face |bytes\n${line('lo', 500, 500)}${line('eth0', 7, 8)}${line('eth1', 1, 2)}`,
  );
  expect(await readNetwork(file)).toEqual({ received: 8, sent: 10 });
  expect(await readNetwork(join(directory.path, 'none'))).toBeNull();
});

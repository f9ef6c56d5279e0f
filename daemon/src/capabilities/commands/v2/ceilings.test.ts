import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';

describe('ceilings', () => {
  test('[cmd.max-running-429] [status.capacity-429] [status.retry-after-5s] at the ceiling a call answers 429 and lists the holders', async () => {
    await using daemon = await TestApp.start({ commandMaxRunning: 2 });
    const first = await daemon.run('sleep 60', { mode: 'async' });
    await daemon.run('sleep 60', { mode: 'async' });
    const answer = await daemon.post('/v2/commands', { command: 'true', timeout: 0.2 });
    expect(answer.statusCode).toBe(429);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(5);
    expect(answer.json().data.holders).toHaveLength(2);
    expect(answer.json().data.holders[0]).toMatchObject({ command_id: first.command_id, command: 'sleep 60' });
    await daemon.post(`/v2/commands/${first.command_id}/kill`, { signal: 'KILL' });
    await daemon.inject(`/v2/commands/${first.command_id}?wait=true`);
    expect((await daemon.post('/v2/commands', { command: 'true' })).statusCode).toBe(200);
  });

  test('64 at once are all answered', async () => {
    await using daemon = await TestApp.start();
    const all = await Promise.all(Array.from({ length: 64 }, (_, i) => daemon.run(`echo ${i}; exit ${i}`)));
    expect(all.map(({ stdout, exit_code }) => [stdout, exit_code])).toEqual(all.map((_, i) => [`${i}\n`, i]));
  });

  test('a thousand in a row leave no zombie, no descriptor and no file behind', async () => {
    await using daemon = await TestApp.start({ commandMaxRecords: 10 });
    // Read by the test: another account may not look into the process that holds the commands.
    const parent = Number((await daemon.run('echo $PPID')).stdout);
    const descriptors = async () => (await readdir(`/proc/${parent}/fd`)).length;
    for (let i = 0; i < 100; i += 1) await daemon.run('echo x');
    const before = await descriptors();
    for (let i = 0; i < 1000; i += 1) await daemon.run('/bin/true', { shell: 'none' });
    expect(await descriptors()).toBeLessThanOrEqual(before + 2);
    await daemon.run('echo last');
    const children = execFileSync('ps', ['-o', 'stat=', '--ppid', String(process.pid)], { encoding: 'utf8' });
    expect(children).not.toMatch(/Z/);
    const kept = async (): Promise<string[]> => {
      const { commands } = (await daemon.inject('/v2/commands?limit=10000')).json().data;
      return commands.map(({ command }: { command: string }) => command);
    };
    await expect.poll(kept).toEqual(['echo last', ...Array.from({ length: 9 }, () => '/bin/true')]);
    // Of the ten kept commands one has output.
    await expect.poll(() => readdir(join(daemon.directory, 'output'))).toHaveLength(1);
  }, 300_000);

  test('[cmd.max-running-429] by default 256 run at once', async () => {
    await using daemon = await TestApp.start();
    const body = { command: 'sleep', args: ['600'], shell: 'none', mode: 'async' };
    const all = await Promise.all(Array.from({ length: 257 }, () => daemon.post('/v2/commands', body)));
    const statuses = all.map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([...Array.from({ length: 256 }, () => 200), 429]);
    const refused = all.find(({ statusCode }) => statusCode === 429);
    expect(refused?.json().message).toMatch(/ the ceiling is 256$/);
  });

  test('commands with idempotency keys are refused with 429 before their records fill the memory', async () => {
    await using daemon = await TestApp.start();
    const text = `: ${'x'.repeat(65_534)}`;
    const keyed = (key: number) => daemon.post('/v2/commands', { command: text, idempotency_key: `k${key}` });
    const count = Math.ceil((128 * 1024 ** 2) / (4096 + text.length));
    for (let key = 0; key < count; key += 32) {
      const calls = Array.from({ length: Math.min(32, count - key) }, (_, i) => keyed(key + i));
      for (const { statusCode } of await Promise.all(calls)) expect(statusCode).toBe(200);
    }
    const refused = await keyed(count);
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ hint: expect.stringContaining('idempotency_key') });
    expect((await keyed(0)).statusCode).toBe(200);
    expect((await daemon.post('/v2/commands', { command: 'true' })).statusCode).toBe(200);
  }, 120_000);
});

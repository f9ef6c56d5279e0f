import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

describe('ceilings', () => {
  test('[cmd.max-running-429] [status.capacity-429] [status.retry-after-5s] the next one answers 429 and lists the holders', async () => {
    await using daemon = await TestApp.start({ commandMaxRunning: 2 });
    const first = await daemon.run('sleep 60', { mode: 'async' });
    await daemon.run('sleep 60', { mode: 'async' });
    const answer = await daemon.post('/v2/commands', { command: 'true' });
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
    const descriptors = async () => Number((await daemon.run('ls /proc/$PPID/fd | wc -l')).stdout);
    for (let i = 0; i < 100; i += 1) await daemon.run('echo x');
    const before = await descriptors();
    for (let i = 0; i < 1000; i += 1) await daemon.run('/bin/true', { shell: 'none' });
    expect(await descriptors()).toBeLessThanOrEqual(before + 2);
    const children = execFileSync('ps', ['-o', 'stat=', '--ppid', String(process.pid)], { encoding: 'utf8' });
    expect(children).not.toMatch(/Z/);
    expect((await daemon.inject('/v2/commands?limit=10000')).json().data.commands.length).toBeLessThanOrEqual(1102);
  }, 300_000);

  test('[status.no-repeat-once-begun] past its wait a call that has begun answers 200', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'sleep 60', timeout: 0 });
    expect([answer.statusCode, answer.json().data.status]).toEqual([200, 'running']);
  });
});

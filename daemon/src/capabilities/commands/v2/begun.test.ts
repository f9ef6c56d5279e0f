import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { describeBegun } from '../begun.fixture.ts';

describeBegun({ url: '/v2/commands', body: { session: 's', timeout: 600 }, lost: 'lost' });

describeOnHosts('a command that has begun answers 200', () => {
  test.each([
    ['past its wait', { timeout: 0 }, 'running'],
    ['past its hard timeout', { timeout: 600, hard_timeout: 0.1 }, 'timed_out'],
  ])('[status.no-repeat-once-begun] %s', async (_name, more, status) => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'sleep 60', ...more });
    expect([answer.statusCode, answer.json().data.status]).toEqual([200, status]);
  });

  test('[status.no-repeat-once-begun] repeated by its key, at the ceiling of running commands', async () => {
    await using daemon = await TestApp.start({ commandMaxRunning: 1 });
    const body = { command: 'sleep 60', mode: 'async', idempotency_key: 'k' };
    const { command_id } = (await daemon.post('/v2/commands', body)).json().data;
    expect((await daemon.post('/v2/commands', { command: 'true', mode: 'async' })).statusCode).toBe(429);
    const again = await daemon.post('/v2/commands', body);
    expect([again.statusCode, again.json().data]).toEqual([200, expect.objectContaining({ command_id })]);
  });
});

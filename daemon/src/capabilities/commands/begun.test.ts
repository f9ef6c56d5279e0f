import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { describeOnHosts, hasKeeper } from '../../hosts.fixture.ts';
import { read } from './output.fixture.ts';
import { parentOf } from './running.fixture.ts';

interface Begun {
  readonly daemon: TestApp;
  readonly command_id: string;
  readonly pid: number;
  /** The answer to the call that waits for the command. */
  readonly answer: Promise<LightMyRequestResponse>;
}

const SURFACES = [
  ['v2', '/v2/commands', { session: 's', timeout: 600 }],
  ['v1', '/v1/bash/exec', { session_id: 's' }],
] as const;

/** Has a call wait for a command that has begun, and goes on when it has written something. */
async function begin(daemon: TestApp, url: string, more: object): Promise<Begun> {
  await daemon.post('/v2/commands/sessions', { id: 's' });
  const answer = daemon.post(url, { command: 'echo begun; exec sleep 94', ...more });
  const running = async () => (await daemon.inject('/v2/commands?status=running')).json().data.commands;
  await expect.poll(async () => (await running()).length).toBe(1);
  const [{ command_id, pid }] = await running();
  await read(daemon, command_id, '?wait=true');
  return { daemon, command_id, pid, answer };
}

const DISTURBANCES: readonly [name: string, status: string, disturb: (begun: Begun) => Promise<unknown>][] = [
  ['it is killed', 'killed', ({ daemon, command_id }) => daemon.post(`/v2/commands/${command_id}/kill`)],
  [
    'its session is closed',
    'killed',
    ({ daemon }) => daemon.inject({ method: 'DELETE', url: '/v2/commands/sessions/s' }),
  ],
  ['the daemon stops', 'killed', ({ daemon }) => daemon.app.close()],
  [
    'its output is gone',
    'killed',
    async ({ daemon, command_id }) => {
      await rm(join(daemon.directory, 'output'), { recursive: true });
      await daemon.post(`/v2/commands/${command_id}/kill`);
    },
  ],
];

describeOnHosts('nothing that has begun is answered with 408, 429 or 5xx', () => {
  for (const [surface, url, more] of SURFACES) {
    test.each(DISTURBANCES)(`[status.no-repeat-once-begun] ${surface}: where %s`, async (_name, status, disturb) => {
      await using daemon = await TestApp.start();
      const begun = await begin(daemon, url, more);
      await disturb(begun);
      const answer = await begun.answer;
      expect([answer.statusCode, answer.json().data]).toEqual([
        200,
        expect.objectContaining({ command_id: begun.command_id, status, exit_code: -1 }),
      ]);
    });
  }

  test.each([
    ['past its wait', { timeout: 0 }, 'running'],
    ['past its hard timeout', { timeout: 600, hard_timeout: 0.1 }, 'timed_out'],
  ])('[status.no-repeat-once-begun] %s', async (_name, more, status) => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'sleep 60', ...more });
    expect([answer.statusCode, answer.json().data.status]).toEqual([200, status]);
  });

  test('[status.no-repeat-once-begun] repeated by its key where no further one may begin', async () => {
    await using daemon = await TestApp.start({ commandMaxRunning: 1 });
    const body = { command: 'sleep 60', mode: 'async', idempotency_key: 'k' };
    const { command_id } = (await daemon.post('/v2/commands', body)).json().data;
    expect((await daemon.post('/v2/commands', { command: 'true' })).statusCode).toBe(429);
    const again = await daemon.post('/v2/commands', body);
    expect([again.statusCode, again.json().data]).toEqual([200, expect.objectContaining({ command_id })]);
  });
});

describe.runIf(hasKeeper)('the keeper dies under a call that waits', () => {
  test.each(SURFACES)('[status.no-repeat-once-begun] %s answers 200', async (surface, url, more) => {
    const directory = mkdtempSync(join(tmpdir(), 'sandboxd-begun-'));
    try {
      await using daemon = await TestApp.start({ processHost: 'keeper' }, directory);
      const { command_id, pid, answer } = await begin(daemon, url, more);
      process.kill(parentOf(pid), 'SIGKILL');
      const { statusCode, json } = await answer;
      expect([statusCode, json().data]).toEqual([
        200,
        expect.objectContaining({ command_id, status: surface === 'v1' ? 'killed' : 'lost' }),
      ]);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

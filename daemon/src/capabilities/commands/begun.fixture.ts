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

/** A route that runs a command in the session `s` and waits for its end. */
export interface WaitingRoute {
  readonly url: string;
  readonly body: object;
  /** The status in its answer where the keeper dies. */
  readonly lost: string;
}

/** Starts a call that waits for its command, and resolves when the command has written something. */
async function begin(daemon: TestApp, { url, body }: WaitingRoute): Promise<Begun> {
  await daemon.post('/v2/commands/sessions', { id: 's' });
  const answer = daemon.post(url, { command: 'echo begun; exec sleep 94', ...body });
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

/** Whatever ends a command while the call waits for it, the answer is 200. */
export function describeBegun(route: WaitingRoute): void {
  describeOnHosts('a command that has begun is not answered with 408, 429 or 5xx', () => {
    test.each(DISTURBANCES)('[status.no-repeat-once-begun] where %s', async (_name, status, disturb) => {
      await using daemon = await TestApp.start();
      const begun = await begin(daemon, route);
      await disturb(begun);
      const answer = await begun.answer;
      expect([answer.statusCode, answer.json().data]).toEqual([
        200,
        expect.objectContaining({ command_id: begun.command_id, status, exit_code: -1 }),
      ]);
    });
  });

  describe.runIf(hasKeeper)('the keeper dies under a call that waits', () => {
    test('[status.no-repeat-once-begun] the answer is 200', async () => {
      const directory = mkdtempSync(join(tmpdir(), 'sandboxd-begun-'));
      try {
        await using daemon = await TestApp.start({ processHost: 'keeper' }, directory);
        const { command_id, pid, answer } = await begin(daemon, route);
        process.kill(parentOf(pid), 'SIGKILL');
        const { statusCode, json } = await answer;
        expect([statusCode, json().data]).toEqual([200, expect.objectContaining({ command_id, status: route.lost })]);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    });
  });
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { processesWith } from '../cells.fixture.ts';
import { cellsOf } from '../languages.fixture.ts';

const SESSIONS = '/v2/code/sessions';
const resultText = async (cell: ReturnType<typeof cellsOf>, code: string) =>
  (await cell(code)).outputs[0]?.data?.['text/plain'];

test('[code.at-once] callers at once with one id get one session', async () => {
  await using daemon = await TestApp.start();
  const cell = cellsOf(daemon, 'javascript');
  const pids = await Promise.all(Array.from({ length: 4 }, () => resultText(cell, 'process.pid')));
  expect(new Set(pids).size).toBe(1);
  expect((await daemon.inject(SESSIONS)).json().data.sessions).toHaveLength(1);
});

test('[code.at-once] as many of the callers at once as there is room for make a session', async () => {
  await using daemon = await TestApp.start();
  const make = (id: number) => daemon.post(SESSIONS, { language: 'bash', id: `s${id}` });
  const answers = await Promise.all(Array.from({ length: 23 }, (_, id) => make(id)));
  const refused = answers.filter(({ statusCode }) => statusCode === 429);
  expect([answers.filter(({ statusCode }) => statusCode === 200).length, refused.length]).toEqual([20, 3]);
  for (const { headers, json } of refused) {
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(5);
    expect(json()).toMatchObject({ hint: expect.any(String), data: { holders: expect.any(Array) } });
    expect(json().data.holders).toHaveLength(20);
  }
  // Each kind of interpreter has a table of its own.
  expect((await daemon.post(SESSIONS, { language: 'javascript', id: 's0' })).statusCode).toBe(200);
});

test('[code.at-once] [code.restart] restarts at once leave one interpreter', async () => {
  await using daemon = await TestApp.start();
  const env = { MARK: 'of-restarts' };
  const cell = cellsOf(daemon, 'javascript', { session_id: 's', env });
  await cell('let before = 1');
  const restarts = await Promise.all(Array.from({ length: 3 }, () => daemon.post(`${SESSIONS}/s/restart`)));
  expect(restarts.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  expect(await resultText(cell, 'typeof before')).toBe("'undefined'");
  const { pid } = (await daemon.inject(`${SESSIONS}/s`)).json().data;
  await expect.poll(() => processesWith('MARK=of-restarts')).toEqual([pid]);
  expect(recordedSessions(daemon)).toHaveLength(1);
});

test('[code.at-once] a session that is deleted while it restarts leaves no interpreter', async () => {
  await using daemon = await TestApp.start();
  const env = { MARK: 'of-deleted' };
  const created = daemon.post(SESSIONS, { language: 'javascript', id: 's', env });
  await expect.poll(async () => (await daemon.inject(`${SESSIONS}/s`)).statusCode).toBe(200);
  // Without a body both take the same way, and in this order.
  const restarted = daemon.inject({ method: 'POST', url: `${SESSIONS}/s/restart` });
  const deleted = daemon.inject({ method: 'DELETE', url: `${SESSIONS}/s` });
  expect((await deleted).statusCode).toBe(200);
  await Promise.all([created, restarted]);
  // What the restart would have started has started by then as well.
  await cellsOf(daemon, 'javascript', { session_id: 'other', env })('1');
  const { pid } = (await daemon.inject(`${SESSIONS}/other`)).json().data;
  await expect.poll(() => processesWith('MARK=of-deleted')).toEqual([pid]);
  expect(recordedSessions(daemon)).toHaveLength(1);
});

/** What a restarted daemon would look for. */
function recordedSessions({ directory }: TestApp): unknown[] {
  return JSON.parse(readFileSync(join(directory, 'code', 'sessions.json'), 'utf8'));
}

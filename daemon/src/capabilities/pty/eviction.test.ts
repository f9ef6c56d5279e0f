import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { BARE } from './pty.fixture.ts';

test('of several sessions that may give way the one that was idle longest does', async () => {
  await using daemon = await TestApp.start({ shellMaxSessions: 3 });
  const create = async () => (await daemon.post('/v2/pty/sessions', BARE)).json().data.session_id as string;
  const [first, second, third] = [await create(), await create(), await create()];
  const typed = await daemon.post(`/v2/pty/sessions/${first}/exec`, { command: 'true' });
  expect(typed.json().data.status).toBe('completed');
  const fourth = await create();
  const { sessions } = (await daemon.inject('/v2/pty/sessions')).json().data;
  expect(Object.keys(sessions).sort()).toEqual([first, third, fourth].sort());
  expect(sessions[second]).toBeUndefined();
});

import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

test.each([
  ['/v2/commands', { command: 'true', session: 'a', session_id: 'b' }, 'session differs from session_id'],
  ['/v2/commands/sessions', { id: 'a', session_id: 'b' }, 'id differs from session_id'],
  ['/v2/pty/sessions', { id: 'a', session_id: 'b' }, 'id differs from session_id'],
  ['/v2/code/sessions', { id: 'a', session_id: 'b', language: 'python' }, 'id differs from session_id'],
])('[manners.two-places] POST %s %j is 400', async (url, body, said) => {
  await using daemon = await TestApp.start();
  const answer = await daemon.post(url, body);
  expect([answer.statusCode, answer.json().message, answer.json().hint]).toEqual([400, said, 'send the value once']);
});

test('[manners.two-places] two names with one value are served', async () => {
  await using daemon = await TestApp.start();
  const answer = await daemon.post('/v2/commands/sessions', { id: 'a', session_id: 'a' });
  expect([answer.statusCode, answer.json().data.session_id]).toEqual([200, 'a']);
});

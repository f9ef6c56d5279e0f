import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

test('a ticket is valid for 30 seconds and one request where the call names neither time nor uses', async () => {
  await using daemon = await TestApp.start({ apiKey: 'secret' });
  const before = Date.now();
  const { ticket, expires_at } = (
    await daemon.post('/v2/tickets', { path_prefix: '/' }, { 'x-api-key': 'secret' })
  ).json().data;
  const after = Date.now();
  expect(Date.parse(expires_at)).toBeGreaterThanOrEqual(before + 30_000);
  expect(Date.parse(expires_at)).toBeLessThanOrEqual(after + 30_000);
  expect((await daemon.inject(`/v2/commands?ticket=${ticket}`)).statusCode).toBe(200);
  expect((await daemon.inject(`/v2/commands?ticket=${ticket}`)).statusCode).toBe(401);
});

test('a ticket with a prefix is good at and below it, and nowhere else', async () => {
  await using daemon = await TestApp.start({ apiKey: 'secret' });
  const body = { path_prefix: '/v2/commands' };
  const { ticket } = (await daemon.post('/v2/tickets', body, { 'x-api-key': 'secret' })).json().data;
  expect((await daemon.inject(`/v2/pty/sessions?ticket=${ticket}`)).statusCode).toBe(401);
  expect((await daemon.inject(`/v2/commands?ticket=${ticket}`)).statusCode).toBe(200);
});

test('a prefix without a leading slash is refused by its name', async () => {
  await using daemon = await TestApp.start();
  const answer = await daemon.post('/v2/tickets', { path_prefix: 'v2/commands' });
  expect([answer.statusCode, answer.json().message]).toEqual([
    422,
    'body.path_prefix: expected a path that begins with /, got "v2/commands"',
  ]);
});

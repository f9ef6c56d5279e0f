import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

test('/v1/ping responds', async () => {
  await using daemon = await TestApp.start();
  expect((await daemon.inject('/v1/ping')).json()).toEqual({
    success: true,
    message: 'pong',
    data: 'pong',
    hint: null,
  });
});

test.each(['/v1/ping', '/v1/openapi.json'])('[auth.public-routes] %s without the key is 200', async (url) => {
  await using daemon = await TestApp.start({ apiKey: 'k' });
  expect((await daemon.inject(url)).statusCode).toBe(200);
});

test('[auth.public-exact] /v1/ping/ is not public', async () => {
  await using daemon = await TestApp.start({ apiKey: 'k' });
  expect((await daemon.inject('/v1/ping/')).statusCode).toBe(401);
});

test('[envelope.unknown-fields] unknown fields are ignored', async () => {
  await using daemon = await TestApp.start();
  const answer = await daemon.post('/v1/bash/exec', { command: 'echo hi', colour: 'red', nested: { a: 1 } });
  expect(answer.json().data.stdout).toBe('hi\n');
});

test('[status.wrong-method-405] DELETE /v1/bash/exec is 405 and allows POST', async () => {
  await using daemon = await TestApp.start();
  const answer = await daemon.inject({ method: 'DELETE', url: '/v1/bash/exec', payload: '{ no json' });
  expect(answer.statusCode).toBe(405);
  expect(answer.headers['allow']).toBe('POST');
  expect(answer.json().success).toBe(false);
});

test('a parameter route supports its methods for a value that is also a static route', async () => {
  await using daemon = await TestApp.start();
  const { session_id: id } = (await daemon.post('/v1/shell/sessions/create', { id: 'stats' })).json().data;
  const closed = await daemon.inject({ method: 'DELETE', url: '/v1/shell/sessions/stats' });
  expect([id, closed.statusCode]).toEqual(['stats', 200]);
  expect((await daemon.inject({ method: 'PUT', url: '/v1/shell/sessions/stats' })).statusCode).toBe(405);
});

test('[status.validation-v1-detail] the body of a 422 has the form of 1.x in addition', async () => {
  await using daemon = await TestApp.start();
  const answer = await daemon.post('/v1/bash/exec', { command: 5 });
  expect(answer.statusCode).toBe(422);
  expect(answer.json().detail).toEqual([
    { loc: ['body', 'command'], msg: expect.any(String), type: expect.any(String) },
  ]);
  expect(answer.json().errors).toHaveLength(1);
});

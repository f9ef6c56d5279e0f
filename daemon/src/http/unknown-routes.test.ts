import { expect, test } from 'vitest';
import { TestApp } from '../app.fixture.ts';

const BODIES = ['{ no json', 'command=ls', Buffer.from([0xff, 0xfe]), '[['.repeat(200), '{"a":"\\ud800"}'];

test.each(['/v1/mcp/servers', '/v1/browser/page/navigate', '/tickets', '/v2/nothing', '/nothing?x=%ff'])(
  '[manners.unknown-route-body] POST %s is 404 with its hint',
  async (url) => {
    await using daemon = await TestApp.start();
    for (const payload of BODIES) {
      const answer = await daemon.inject({ method: 'POST', url, payload });
      expect([answer.statusCode, answer.json()]).toEqual([
        404,
        {
          success: false,
          message: expect.stringMatching(/^no such route: POST /),
          data: null,
          hint: expect.any(String),
        },
      ]);
    }
  },
);

test('[manners.unknown-route-body] a removed method names what replaces it', async () => {
  await using daemon = await TestApp.start();
  for (const payload of BODIES) {
    const answer = await daemon.inject({ method: 'PATCH', url: '/v1/nodejs/sessions/x', payload });
    expect([answer.statusCode, answer.json().hint]).toEqual([404, expect.stringContaining('POST /v1/nodejs/sessions')]);
  }
});

test('[manners.unknown-route-body] a body that is too long for a route is 404 too', async () => {
  await using daemon = await TestApp.start();
  const base = await daemon.listen();
  const body = Buffer.alloc(40 * 1024 ** 2, '{');
  const answer = await fetch(`${base}/v2/nothing`, { method: 'POST', body });
  expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ hint: expect.any(String) })]);
});

test('a route that is known keeps its answers to a body that is not JSON', async () => {
  await using daemon = await TestApp.start();
  for (const payload of BODIES) {
    expect((await daemon.inject({ method: 'POST', url: '/v2/commands', payload })).statusCode).toBe(400);
  }
});

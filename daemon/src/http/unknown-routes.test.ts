import process from 'node:process';
import type { App } from '@sandbox/api/http/app-types.ts';
import { distance } from 'fastest-levenshtein';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { TestApp } from '../app.fixture.ts';
import { NearestRoute } from './unknown/nearest-route.ts';

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

test.each([
  ['POST', '/v2/command', 'POST /v2/commands'],
  ['POST', '/v2/exec', 'POST /v2/commands'],
  ['POST', '/v2/read', 'GET /v2/fs/read'],
  ['GET', '/v2/files/read?path=/x', 'GET /v2/fs/read'],
  ['POST', '/v2/fs/wirte', 'POST /v2/fs/write'],
  ['GET', '/v2/commands/some-id/outputs', 'GET /v2/commands/{command_id}'],
  ['POST', '/v2/browser/goto', 'POST /v2/browser/navigate'],
  ['POST', '/v2/pty/sessions/none/resize', 'GET /v2/pty/sessions/{id}'],
  ['POST', '/v2/Terminal/Sessions', 'POST /v2/pty/sessions'],
])('[manners.nearest-route] %s %s names the nearest route', async (method, url, route) => {
  await using daemon = await TestApp.start();
  const answer = await daemon.inject({ method: method as 'GET', url });
  expect([answer.statusCode, answer.json().hint]).toEqual([
    404,
    `did you mean ${route}? GET /v2/openapi.json lists the routes`,
  ]);
});

test.each(['/v2/x', '/v2/zebra/crossing', `/v2/${'commands/'.repeat(100)}`, `/v2/${'a'.repeat(4000)}`, '/commands'])(
  '[manners.nearest-route] %s is near to none',
  async (url) => {
    await using daemon = await TestApp.start();
    const answer = await daemon.inject({ method: 'POST', url });
    expect([answer.statusCode, answer.json().hint]).toEqual([404, 'GET /v2/openapi.json lists the routes']);
  },
);

test('[manners.nearest-route] an unknown path of the longest kind costs at most four comparisons of its text with each route', () => {
  const nearest = new NearestRoute('/v2');
  const app: App = fastify();
  nearest.watch(app);
  const names = Array.from({ length: 200 }, (_, i) => `${'route'.repeat(4)}${i}`);
  for (const name of names) app.get(`/v2/${name}/:id/some/thing`, () => '');
  const path = `/v2/${'ab/'.repeat(5)}${'x'.repeat(108)}`;
  const compared = secondsOf(() => names.map((name) => distance(name, path)));
  expect(secondsOf(() => nearest.find('GET', path))).toBeLessThan(4 * compared);
});

/** Processor seconds of a thousand runs. */
function secondsOf(work: () => unknown): number {
  const start = process.cpuUsage();
  for (let i = 0; i < 1000; i += 1) work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

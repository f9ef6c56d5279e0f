import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../scripts/testing/machine.ts';
import { TestWorker, workerFor } from './worker.fixture.ts';

describe.skipIf(!has('X server'))('the worker of a display', () => {
  let worker: TestWorker;
  beforeAll(async () => {
    worker = await TestWorker.start('800x600');
  });
  afterAll(() => worker[Symbol.asyncDispose]());

  test('[desktop.info] info and capabilities say what is served', async () => {
    const expected = {
      available: true,
      display: worker.server.display,
      xauthority: null,
      screen_resolution: { width: 800, height: 600 },
      capabilities: { screenshot: true, actions: true, clipboard: true, recording: false, accessibility: false },
      warnings: [],
    };
    expect((await worker.json(200, 'GET', '/v2/computer/info'))['data']).toEqual(expected);
    expect((await worker.json(200, 'GET', '/capabilities'))['data']).toEqual(expected);
  });

  test('[desktop.info] health, metrics and unknown routes have the frame of the daemon', async () => {
    const health = await worker.app.inject({ url: '/healthz', headers: { 'x-request-id': 'mine' } });
    expect([health.statusCode, health.headers['x-request-id']]).toEqual([200, 'mine']);
    expect((await worker.app.inject({ url: '/metrics' })).body).toContain('http_requests_total');
    const unknown = await worker.app.inject({ url: '/v2/computer/nothing' });
    expect([unknown.statusCode, unknown.json()]).toEqual([404, expect.objectContaining({ success: false })]);
    expect((await worker.app.inject({ method: 'POST', url: '/v2/computer/info' })).headers['allow']).toBe('GET, HEAD');
  });

  test.each([
    ['a name that leads here', { host: 'attacker.example' }],
    ['an origin', { origin: 'http://127.0.0.1:8080' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
  ])('[desktop.pages] a page is refused by %s', async (_name, headers) => {
    const answer = await worker.app.inject({ url: '/v2/computer/info', headers });
    expect([answer.statusCode, answer.json()]).toEqual([403, expect.objectContaining({ success: false })]);
  });

  test('[desktop.restart] a display that is killed and started again is served again', async () => {
    await worker.server.kill();
    const away = (await worker.json(200, 'GET', '/v2/computer/info'))['data'];
    expect(away).toMatchObject({ available: false, screen_resolution: null });
    await worker.server.again();
    expect((await worker.json(200, 'GET', '/v2/computer/info'))['data']).toMatchObject({ available: true });
  });
});

test('[desktop.restart] a worker starts without a display', async () => {
  const app = await workerFor(':9999');
  const { data } = (await app.inject({ url: '/v2/computer/info' })).json();
  expect(data).toMatchObject({ available: false, warnings: [expect.stringContaining(':9999')] });
  await app.close();
});

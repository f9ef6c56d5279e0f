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
      capabilities: {
        screenshot: true,
        actions: true,
        clipboard: true,
        recording: has('ffmpeg'),
        accessibility: false,
      },
      warnings: expect.arrayContaining(['accessibility is unavailable: no D-Bus session bus is running']),
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
    const { etag } = (await worker.app.inject({ url: '/v2/computer/screenshot' })).headers;
    await worker.server.kill();
    await worker.json(503, 'POST', '/v2/computer/actions', { action_type: 'CLICK' });
    const away = (await worker.json(200, 'GET', '/v2/computer/info'))['data'];
    expect(away).toMatchObject({ available: false, screen_resolution: null });
    await worker.server.again();
    expect((await worker.json(200, 'GET', '/v2/computer/info'))['data']).toMatchObject({ available: true });
    await worker.json(200, 'POST', '/v2/computer/actions', { action_type: 'MOVE_TO', x: 3, y: 4 });
    expect((await worker.json(200, 'GET', '/v2/computer/cursor'))['data']).toEqual({ x: 3, y: 4 });
    const again = await worker.app.inject({ url: '/v2/computer/screenshot', headers: { 'if-none-match': etag } });
    expect([again.statusCode, again.headers['etag']]).toEqual([200, expect.not.stringContaining(String(etag))]);
  });
});

test('[desktop.restart] a worker starts without a display', async () => {
  const app = await workerFor(':9999');
  const { data } = (await app.inject({ url: '/v2/computer/info' })).json();
  expect(data).toMatchObject({
    available: false,
    warnings: expect.arrayContaining([expect.stringContaining(':9999')]),
  });
  await app.close();
});

test.skipIf(!has('X server'))(
  '[desktop.restart] a display that dies under an action ends it, and 503 is next',
  async () => {
    await using worker = await TestWorker.start('400x300');
    const actions = [
      { action_type: 'WAIT', duration: 0.2 },
      { action_type: 'MOVE_TO', x: 1, y: 1 },
    ];
    const batch = worker.json(200, 'POST', '/v2/computer/actions/batch', { actions });
    await worker.json(200, 'GET', '/v2/computer/info');
    await worker.server.kill();
    expect((await batch)['data']).toMatchObject({
      status: 'failed',
      performed: 1,
      failed_index: 1,
      reason: 'unavailable',
    });
    await worker.json(503, 'GET', '/v2/computer/cursor');
  },
);

test.each([
  ['role', 'knob'],
  ['states', 'enabled,shiny'],
])('[a11y.query-wrong] an unknown name in %s is a 422 that names the field', async (field, value) => {
  const app = await workerFor(':9999');
  const answer = await app.inject({ url: '/v2/computer/accessibility/nodes', query: { [field]: value } });
  const message = expect.stringContaining('has an unknown name');
  expect([answer.statusCode, answer.json()]).toEqual([
    422,
    expect.objectContaining({ success: false, errors: [{ location: ['query', field], message, type: 'custom' }] }),
  ]);
  await app.close();
});

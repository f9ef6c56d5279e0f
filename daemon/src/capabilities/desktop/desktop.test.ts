import { pollUntil } from '@sandbox/api/wait.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { TestApp } from '../../app.fixture.ts';
import { WorkerProcess } from './worker-process.fixture.ts';

const AWAY = { success: false, message: 'computer-use worker is not available', hint: expect.any(String) };

describe('without a worker', () => {
  let daemon: TestApp;
  beforeAll(async () => {
    daemon = await TestApp.start({ computerUseUrl: 'http://127.0.0.1:9' });
  });
  afterAll(() => daemon[Symbol.asyncDispose]());

  test.each([
    ['GET', '/v2/computer/info'],
    ['GET', '/v2/computer/screenshot'],
    ['GET', '/v2/computer/cursor'],
    ['GET', '/v2/computer/clipboard'],
    ['GET', '/v2/computer/windows'],
    ['POST', '/v2/computer/actions', { action_type: 'CLICK' }],
    ['POST', '/v2/computer/actions/batch', { actions: [{ action_type: 'CLICK' }] }],
    ['POST', '/v1/display/record', { action: 'start' }],
  ] as const)('[desktop.away] %s %s is 503 with a hint', async (method, url, payload?: object) => {
    const answer = await daemon.inject({ method, url, ...(payload && { payload }) });
    expect([answer.statusCode, answer.json()]).toEqual([503, expect.objectContaining(AWAY)]);
  });

  test('[desktop.forward] a body is validated before anything is forwarded, on v1 in its form too', async () => {
    const wrong = await daemon.post('/v2/computer/actions', { action_type: 'MOVE_TO', x: 'a' });
    expect([wrong.statusCode, wrong.json().errors[0].location]).toEqual([422, ['body', 'x']]);
    const recording = await daemon.post('/v1/display/record', { action: 'start', fps: 31 });
    expect([recording.statusCode, recording.json().detail[0].loc]).toEqual([422, ['body', 'fps']]);
  });

  test('[desktop.forward] null stands for a field that is left out, in an action of a batch too', async () => {
    const click = { action_type: 'CLICK', x: null, y: null, num_clicks: null };
    for (const [path, body] of [
      ['actions', click],
      ['actions/batch', { actions: [click], include_screenshot: null }],
    ] as const) {
      expect((await daemon.post(`/v2/computer/${path}`, body)).statusCode).toBe(503);
    }
  });

  test('[desktop.forward] a relative path that is too long with the home in front is 400', async () => {
    const recording = { action: 'status', save_path: '0'.repeat(4096) };
    const refused = await daemon.post('/v2/computer/record', recording);
    expect([refused.statusCode, refused.json().message]).toEqual([400, expect.stringContaining('save_path')]);
  });

  test('[desktop.capabilities] /v1/capabilities says that the computer is absent', async () => {
    expect((await daemon.inject('/v1/capabilities')).json().data.computer).toEqual({ status: 'absent' });
  });
});

describe.skipIf(!has('X server'))('with a worker', () => {
  let worker: WorkerProcess;
  let daemon: TestApp;
  beforeAll(async () => {
    worker = await WorkerProcess.start();
    daemon = await TestApp.start({ computerUseUrl: worker.url });
  });
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await worker?.[Symbol.asyncDispose]();
  });

  test('[config.computer-use-url] [desktop.forward] an answer of the worker goes through, with one request id', async () => {
    const answer = await daemon.inject({ url: '/v2/computer/info', headers: { 'x-request-id': 'one-id' } });
    expect(answer.headers['x-request-id']).toBe('one-id');
    expect(answer.json().data).toMatchObject({ available: true, screen_resolution: { width: 640, height: 480 } });
    expect(await worker.logged('one-id')).toContain('/v2/computer/info');
  });

  test('[desktop.capabilities] /v1/capabilities has the info of a worker, here without a session bus', async () => {
    const { computer } = (await daemon.inject('/v1/capabilities')).json().data;
    expect(computer).toMatchObject({ status: 'degraded', available: true, capabilities: { actions: true } });
  });

  test('[desktop.forward] pictures keep their headers, and an etag is answered 304', async () => {
    const { headers, rawPayload } = await daemon.inject('/v2/computer/screenshot?format=jpeg&scale=0.5');
    expect(headers).toMatchObject({
      ...{ 'content-type': 'image/jpeg', 'x-image-width': '320', 'x-screen-width': '640', 'x-screen-height': '480' },
    });
    expect(rawPayload.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
    const same = await daemon.inject({
      url: '/v2/computer/screenshot?format=jpeg&scale=0.5',
      headers: { 'if-none-match': headers['etag'] },
    });
    expect([same.statusCode, same.body]).toEqual([304, '']);
  });

  test('[openapi.fuzz] what the worker refuses of a request for the browser is 400', async () => {
    const answer = await daemon.post('/v2/browser/config', { resolution: { width: 1280, height: 7000 } });
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      expect.objectContaining({ success: false, message: expect.stringContaining('4320') }),
    ]);
  });

  test('[desktop.forward] an error of the worker goes through', async () => {
    const unknown = await daemon.post('/v2/computer/actions', { action_type: 'PRESS', key: 'Retrun' });
    expect([unknown.statusCode, unknown.json().errors[0].location]).toEqual([422, ['body', 'key']]);
  });

  test('[desktop.browser] screenshot and actions of the browser are of the display', async () => {
    const answer = await daemon.inject({
      method: 'POST',
      url: '/v1/browser/actions?include_screenshot=true',
      payload: { action_type: 'MOVE_REL', x_offset: -1000, y_offset: -1000 },
      headers: { 'x-request-id': 'by-v1' },
    });
    const performed = { status: 'success', action_performed: 'MOVE_REL' };
    expect(answer.json()).toMatchObject({ success: true, data: performed, ...performed });
    expect(Buffer.from(answer.json().screenshot, 'base64').subarray(1, 4).toString()).toBe('PNG');
    expect((await daemon.inject('/v2/computer/cursor')).json().data).toEqual({ x: 0, y: 0 });
    expect(await worker.logged('by-v1')).toContain('/v2/computer/actions');
    const picture = await daemon.inject('/v2/browser/screenshot?format=jpeg');
    expect(picture.headers).toMatchObject({ 'x-image-source': 'display', 'x-image-width': '640' });
    const refused = await daemon.post('/v1/browser/actions', { action_type: 'MOVE_TO', x: 5000, y: 1 });
    expect(refused.statusCode).toBe(400);
  });
});

describe.skipIf(!has('X server'))('a worker that falls silent', () => {
  test('[desktop.silence] after the first event: 200, what was performed, and the index of the rest', async () => {
    await using worker = await WorkerProcess.start();
    await using daemon = await TestApp.start({ computerUseUrl: worker.url });
    const actions = [
      { action_type: 'MOVE_TO', x: 7, y: 8 },
      { action_type: 'MOVE_TO', x: 9, y: 8 },
      { action_type: 'WAIT', duration: 10 },
    ];
    const answer = daemon.post('/v2/computer/actions/batch', { actions });
    const isAtSecond = async (): Promise<boolean> => {
      const cursor = await fetch(`${worker.url}/v2/computer/cursor`);
      return ((await cursor.json()) as { data: { x: number } }).data.x === 9;
    };
    await pollUntil(isAtSecond, { everyMs: 5, ms: 30_000 });
    await worker.end('SIGKILL');
    const { statusCode, json } = await answer;
    expect(statusCode).toBe(200);
    // The second had begun; whether it had ended the worker cannot say any more.
    const { performed } = json().data;
    expect([1, 2]).toContain(performed);
    const data = { status: 'failed', performed, failed_index: performed };
    expect(json()).toMatchObject({ success: false, hint: expect.any(String), data });
    const next = await daemon.post('/v2/computer/actions', { action_type: 'CLICK' });
    expect([next.statusCode, next.json()]).toEqual([503, expect.objectContaining(AWAY)]);
  });
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

const INFO = {
  available: true,
  display: ':99',
  xauthority: null,
  screen_resolution: { width: 640, height: 480 },
  capabilities: { screenshot: true, actions: true, clipboard: true, recording: true, accessibility: true },
  warnings: [],
};

/** A daemon whose worker gives each request the same answer, in JSON unless the headers say otherwise. */
async function besideWorker(status: number, body: unknown, headers = {}) {
  const stack = new AsyncDisposableStack();
  const worker = createServer((_req, res) => {
    res.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await once(worker.listen(0, '127.0.0.1'), 'listening');
  stack.defer(() => void worker.close());
  const url = `http://127.0.0.1:${(worker.address() as AddressInfo).port}`;
  const daemon = stack.use(await TestApp.start({ computerUseUrl: url }));
  return { daemon, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

test.each([
  ['null', null],
  ['a number', 5],
  ['data of null', { data: null }],
  ['data without warnings', { data: { available: true } }],
  ['a size of texts', { data: { ...INFO, screen_resolution: { width: '1', height: {} } } }],
  ['no JSON', '{'],
])('[desktop.hostile-worker] %s as info is no worker to the capabilities and to a screenshot', async (_name, body) => {
  await using beside = await besideWorker(200, body);
  const { daemon } = beside;
  const capabilities = await daemon.inject('/v1/capabilities');
  expect([capabilities.statusCode, capabilities.json().data.computer]).toEqual([200, { status: 'absent' }]);
  const picture = await daemon.inject('/v2/browser/screenshot?target=display');
  expect([picture.statusCode, picture.json().success]).toEqual([503, false]);
});

test.each([
  ['a page', 200, { 'content-type': 'text/html' }],
  ['SVG, which runs scripts', 200, { 'content-type': 'image/svg+xml' }],
  ['a wish for a key', 401, {}],
  ['a redirect', 302, { location: 'http://127.0.0.1:1/' }],
])('[desktop.hostile-worker] %s is not passed on: 503', async (_name, status, headers) => {
  await using beside = await besideWorker(status, '<script>alert(1)</script>', headers);
  const { daemon } = beside;
  for (const path of ['info', 'screenshot', 'windows']) {
    const answer = await daemon.inject(`/v2/computer/${path}`);
    expect([answer.statusCode, answer.headers['location']]).toEqual([503, undefined]);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json()).toMatchObject({ success: false, message: 'computer-use worker is not available' });
  }
});

test('[desktop.hostile-worker] a picture without a size is none', async () => {
  await using beside = await besideWorker(200, { data: INFO });
  const picture = await beside.daemon.inject('/v2/browser/screenshot?target=display');
  expect([picture.statusCode, picture.json().success]).toEqual([503, false]);
});

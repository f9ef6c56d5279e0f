import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../app.fixture.ts';
import { defineCapability } from '../capability.ts';
import { hasKeeper } from '../hosts.fixture.ts';

describe('logs and metrics', () => {
  const KEY = 'sesame-street-42';

  test('[secret.log] no credential is in a log', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY, logLevel: 'trace' });
    const { ticket } = (await daemon.post('/v2/tickets', { path_prefix: '/' }, { 'x-api-key': KEY })).json().data;
    const cookie = 'svc_session=cookie-value-77';
    const url = `/v2/commands?api_key=${KEY}&ticket=${ticket}&path=websockify%3Fticket%3D${ticket}`;
    await daemon.inject({ url, headers: { authorization: `Bearer ${KEY}`, cookie, 'x-svc-api-key': KEY } });
    await daemon.inject({ url: `/nothing?ticket=${ticket}`, headers: { authorization: 'Bearer other-secret-88' } });
    await daemon.inject(`/v2/commands/${KEY}`);
    daemon.app.log.error(
      { headers: { authorization: 'Bearer other-secret-88', cookie }, text: `the key ${KEY}` },
      'a careless line',
    );
    const log = daemon.log.join('');
    expect(log).toMatch(/"path":"\/v2\/commands"/);
    expect(log).toMatch(/a careless line/);
    for (const secret of [KEY, ticket, 'cookie-value-77', 'other-secret-88']) expect(log).not.toContain(secret);
  });

  test('each request logs one line with its id', async () => {
    await using daemon = await TestApp.start({ logLevel: 'info' });
    daemon.log.length = 0;
    await daemon.inject({ url: '/v2/commands?limit=5', headers: { 'x-request-id': 'id-1' } });
    const lines = daemon.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 'info',
      reqId: 'id-1',
      method: 'GET',
      path: '/v2/commands',
      status: 200,
      ms: expect.any(Number),
      msg: 'request',
    });
  });

  test('[log.one-line] successful health checks and the questions of the gateway are logged at debug only', async () => {
    await using daemon = await TestApp.start({ logLevel: 'debug' });
    daemon.log.length = 0;
    for (const url of ['/health', '/ready', '/internal/auth', '/v2/nothing']) await daemon.inject(url);
    const lines = daemon.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    expect(lines.map(({ level, path }) => [level, path])).toEqual([
      ['debug', '/health'],
      ['debug', '/ready'],
      ['debug', '/internal/auth'],
      ['info', '/v2/nothing'],
    ]);
  });

  test('[log.unanswered] a request whose client left before the answer has no status', async () => {
    await using daemon = await TestApp.start({ logLevel: 'info' });
    const client = connect(Number(new URL(await daemon.listen()).port), '127.0.0.1');
    const body = JSON.stringify({ command: 'exec sleep 600' });
    client.write(`POST /v2/commands HTTP/1.1\r\nHost: h\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await expect.poll(async () => (await daemon.inject('/v2/commands')).body).toContain('sleep 600');
    client.destroy();
    const lines = () => daemon.log.map((line) => JSON.parse(line)).filter(({ method }) => method === 'POST');
    await expect.poll(lines).toMatchObject([{ msg: 'unanswered request', status: null }]);
  });

  test('[secret.metrics] metrics count by route pattern and hold no credential', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const headers = { 'x-api-key': KEY };
    await daemon.inject({ url: `/v2/commands/abc?api_key=${KEY}`, headers });
    await daemon.inject({ url: `/${KEY}`, headers });
    await daemon.post('/v2/commands', { command: 'exit 3' }, headers);
    const { body } = await daemon.inject({ url: '/metrics', headers });
    expect(body).toContain('http_requests_total{method="GET",route="/v2/commands/:command_id",status="404"} 1');
    expect(body).toContain('http_requests_total{method="GET",route="unmatched",status="404"} 1');
    expect(body).toContain('command_exec_total{status="completed"} 1');
    for (const name of [
      'http_request_duration_seconds_bucket',
      'command_exec_duration_seconds_sum',
      'nodejs_eventloop_lag',
      'process_resident_memory_bytes',
      'commands_running',
      'http_open_connections',
    ]) {
      expect(body).toContain(name);
    }
    expect(body).not.toContain(KEY);
  });
});

describe('operational routes', () => {
  test('/health and / respond', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.inject('/health')).json()).toEqual({
      status: 'healthy',
      version: expect.stringMatching(/^\d+\.\d+/),
      uptime_seconds: expect.any(Number),
    });
    expect((await daemon.inject('/')).json().success).toBe(true);
  });

  test('/ready runs a command and writes a file', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.inject('/ready');
    expect(answer.statusCode).toBe(200);
    expect(answer.json().data.checks).toEqual([
      { name: 'files', ok: true, detail: expect.any(String) },
      { name: 'commands', ok: true, detail: 'a command ended with 0' },
      { name: 'terminals', ok: true, detail: 'a terminal ended with 0' },
      { name: 'browser', ok: true, detail: 'not waited for: BROWSER_START_MODE is async' },
      ...(hasKeeper ? [{ name: 'process keeper', ok: true, detail: expect.any(String) }] : []),
    ]);
  });

  test('[ready.shared] callers of /ready share one run of each probe', async () => {
    let runs = 0;
    const probed = defineCapability({
      name: 'probed',
      create: () => new AsyncDisposableStack(),
      probe: async () => {
        runs += 1;
        return { name: 'probed', ok: true, detail: '' };
      },
    });
    await using daemon = await TestApp.start({}, undefined, [probed]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => daemon.inject('/ready')));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(200));
    expect(runs).toBe(1);
  });

  test('/ready names the failed check', async () => {
    await using daemon = await TestApp.start({ defaultUser: 'nobody-by-that-name' });
    const answer = await daemon.inject('/ready');
    expect(answer.statusCode).toBe(503);
    expect(answer.json().message).toMatch(/commands \(.*nobody-by-that-name/);
  });

  test('an incomplete request does not delay the shutdown', async () => {
    const daemon = await TestApp.start();
    const { port } = new URL(await daemon.listen());
    const socket = connect(Number(port), '127.0.0.1');
    // If the daemon closes with unread data, the close is a reset.
    const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
    await once(daemon.app.server, 'connection');
    socket.write('GET /health HTTP/1.1\r\n');
    await daemon[Symbol.asyncDispose]();
    await closed;
  });
});

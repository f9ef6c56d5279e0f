import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../app.fixture.ts';

describe('the envelope', () => {
  test('[envelope.fields] a response has all four keys', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'true' });
    expect(Object.keys(answer.json()).sort()).toEqual(['data', 'hint', 'message', 'success']);
    expect(answer.json()).toMatchObject({ success: true, hint: null });
  });

  test('[envelope.failure] the message of a failure is one line', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'true', cwd: '/a\nb' });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({
      success: false,
      message: 'cwd does not exist: /a b',
      data: null,
      hint: expect.any(String),
    });
  });

  test.each([
    ['no body', {}],
    ['an empty body', { payload: '', headers: { 'content-type': 'application/json' } }],
    ['an empty body of another type', { payload: '', headers: { 'content-type': 'text/plain' } }],
    ['blanks', { payload: ' \n', headers: { 'content-type': 'application/xml' } }],
  ])('[envelope.empty-body] %s reads as {}', async (_name, body) => {
    await using daemon = await TestApp.start();
    const answer = await daemon.inject({ method: 'POST', url: '/v2/commands/sessions', ...body });
    expect(answer.statusCode).toBe(200);
    const gone = await daemon.inject({ method: 'DELETE', url: '/v2/commands/sessions/none', ...body });
    expect(gone.statusCode).toBe(404);
  });

  test('a JSON body of another Content-Type is parsed, as curl -d sends it', async () => {
    await using daemon = await TestApp.start();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await daemon.inject({
      method: 'POST',
      url: '/v2/commands',
      payload: '{"command":"echo hi"}',
      headers,
    });
    expect(answer.json().data.stdout).toBe('hi\n');
  });

  test('a body that is not JSON is 400', async () => {
    await using daemon = await TestApp.start();
    for (const payload of ['{', 'command=ls', '{"__proto__":{"a":1}}']) {
      const answer = await daemon.inject({ method: 'POST', url: '/v2/commands', payload });
      expect(answer.statusCode).toBe(400);
      expect(answer.json().message).toMatch(/^the body is not JSON/);
    }
  });

  test('[envelope.null-is-absent] null for a field means that it is absent', async () => {
    await using daemon = await TestApp.start();
    const body = { cwd: null, env: null, timeout: null, shell: null, session: null, hard_timeout: null };
    expect((await daemon.run('echo hi', body)).stdout).toBe('hi\n');
    expect((await daemon.post('/v2/commands', { command: null })).statusCode).toBe(422);
  });

  test('[env.null-is-absent] null in a map of strings means that the entry is absent', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.run('echo "[$A][$B]"', { env: { A: 'a', B: null } })).stdout).toBe('[a][]\n');
  });

  test('[envelope.unknown-fields] unknown fields are ignored with SVC_STRICT=false', async () => {
    await using daemon = await TestApp.start({ strict: false });
    const answer = await daemon.post('/v2/commands', { command: 'echo hi', colour: 'red', nested: { a: 1 } });
    expect(answer.json().data.stdout).toBe('hi\n');
  });
});

describe('the request id', () => {
  test.each(['abc-123', 'x'.repeat(128), '!~#'])('[request-id.echoed] %s is returned', async (id) => {
    await using daemon = await TestApp.start();
    const answer = await daemon.inject({ url: '/health', headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).toBe(id);
  });

  test.each(['', 'a b', 'x'.repeat(129), 'é'])('[request-id.made] %j is replaced by a new id', async (id) => {
    await using daemon = await TestApp.start({ apiKey: 'k' });
    for (const url of ['/health', '/v2/commands', '/nothing']) {
      const answer = await daemon.inject({ url, headers: { 'x-request-id': id } });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('statuses', () => {
  test('[status.unknown-route-404] an unknown route is 404 with the envelope', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.inject('/v2/nothing?x=1');
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ success: false, message: 'no such route: GET /v2/nothing', data: null });
  });

  test.each([
    ['PUT', '/v2/commands', 'GET, HEAD, POST'],
    ['GET', '/v2/commands/x/kill', 'POST'],
    ['POST', '/health', 'GET, HEAD'],
    ['PATCH', '/v2/commands/sessions/x', 'DELETE, GET, HEAD'],
    ['OPTIONS', '/v2/tickets', 'GET, HEAD, POST'],
    ['PROPFIND', '/v2/%63ommands?x', 'GET, HEAD, POST'],
  ] as const)('[status.wrong-method-405] %s %s is 405 and allows %s', async (method, url, allow) => {
    await using daemon = await TestApp.start();
    const payload = method === 'GET' || method === 'OPTIONS' ? {} : { payload: '{ no json' };
    const answer = await daemon.inject({ method, url, ...payload });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers['allow']).toBe(allow);
    expect(answer.json().success).toBe(false);
  });

  test('a route with GET supports HEAD', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.inject({ method: 'HEAD', url: '/health' });
    expect([answer.statusCode, answer.body]).toEqual([200, '']);
  });

  test('[status.json-too-large-413] a JSON body over 32 MiB is 413, with or without a length', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const body = JSON.stringify({ command: 'true', padding: 'x'.repeat(32 * 1024 ** 2) });
    const chunked = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(body));
        controller.close();
      },
    });
    for (const init of [{ body }, { body: chunked, duplex: 'half' as const }]) {
      const answer = await fetch(`${base}/v2/commands`, { method: 'POST', ...init });
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ success: false, data: { limit: 33_554_432 } });
    }
  });

  test.each([
    ['nested arrays', `{"args":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, /^the body has more than 100 arrays/],
    ['values', JSON.stringify({ command: 'x', args: Array(140_000).fill(1) }), /^the body has more than 131072 values/],
  ])('[limits.json] a body of too many %s is 400 before it is parsed', async (_name, payload, message) => {
    await using daemon = await TestApp.start();
    const answer = await daemon.inject({ method: 'POST', url: '/v2/commands', payload });
    expect([answer.statusCode, answer.json().message]).toEqual([400, expect.stringMatching(message)]);
  });

  test('[limits.issues] a 422 names the first 100 invalid fields, and cuts what the client sent', async () => {
    await using daemon = await TestApp.start();
    const many = await daemon.post('/v2/commands', { command: 'x', args: Array(100_000).fill(1) });
    expect([many.statusCode, many.json().errors.length]).toEqual([422, 100]);
    expect(many.json().message).toMatch(/; and 99900 more$/);
    const long = await daemon.post('/v2/commands', { command: 'x', env: { [`=${'a'.repeat(100_000)}`]: 'x' } });
    expect(long.statusCode).toBe(422);
    expect(long.body.length).toBeLessThan(2000);
  });

  test('[status.validation-422] [status.validation-location] the invalid fields are named', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', {
      command: 'x',
      timeout: -1,
      env: { 'A=B': 'x' },
      args: ['a', 1],
    });
    expect(answer.statusCode).toBe(422);
    const { errors, ...rest } = answer.json();
    expect(rest).toMatchObject({ success: false, data: null, message: expect.stringContaining('body.timeout') });
    expect(rest).not.toHaveProperty('detail');
    expect(errors.map(({ location }: { location: unknown }) => location)).toEqual(
      expect.arrayContaining([
        ['body', 'timeout'],
        ['body', 'args', 1],
        ['body', 'env', 'A=B'],
      ]),
    );
    for (const error of errors)
      expect(error).toEqual({ location: expect.any(Array), message: expect.any(String), type: expect.any(String) });
    const query = await daemon.inject('/v2/commands?limit=abc');
    expect(query.json().errors[0].location).toEqual(['query', 'limit']);
  });

  test('[status.defect-500] an unexpected error is 500 without a stack; the log has the stack', async () => {
    await using daemon = await TestApp.start({ logLevel: 'error' });
    daemon.app.get('/v2/defect', () => {
      throw new TypeError('internal detail');
    });
    const answer = await daemon.inject('/v2/defect');
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toMatch(/internal detail|\.ts/);
    expect(answer.json()).toMatchObject({ success: false, message: 'internal error' });
    expect(daemon.log.join('')).toMatch(/TypeError.*internal detail.*stack/);
  });

  test.each(['x'.repeat(300), 'x/'.repeat(5_000)])('a cwd that the system does not accept is 400', async (name) => {
    await using daemon = await TestApp.start();
    expect((await daemon.post('/v2/commands', { command: 'true', cwd: `/${name}` })).statusCode).toBe(400);
  });

  test('[status.unavailable-hint] a 503 without a hint of its own has one', async () => {
    await using daemon = await TestApp.start();
    daemon.app.get('/v2/away', () => {
      throw new SandboxError('unavailable', 'the service is stopping');
    });
    expect((await daemon.inject('/v2/away')).json()).toMatchObject({ hint: expect.stringContaining('retry shortly') });
  });

  test.each(['commands/x/stdin', 'pty/sessions/a/input'])(
    '[status.base64-400] %s: input that is not base64 is 400',
    async (route) => {
      await using daemon = await TestApp.start();
      await daemon.post('/v2/pty/sessions', { id: 'a' });
      const { command_id } = await daemon.run('cat', { mode: 'async' });
      const answer = await daemon.post(`/v2/${route.replace('/x/', `/${command_id}/`)}`, {
        input: 'no base64!',
        encoding: 'base64',
      });
      expect([answer.statusCode, answer.json().message]).toEqual([400, 'input is not base64']);
    },
  );

  test('an invalid percent-encoding in the path is 400', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.inject('/v2/commands/%zz')).statusCode).toBe(400);
  });
});

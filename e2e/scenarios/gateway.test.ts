import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { Services } from '../services.ts';

const KEY = 'open-sesame-7';

interface Ran {
  readonly data: { command_id: string; stdout: string; status: string; exit_code: number };
}

async function run(services: Services, body: object, headers: Record<string, string> = {}): Promise<Ran['data']> {
  const answer = await fetch(`${services.url}/v2/commands`, { method: 'POST', body: JSON.stringify(body), headers });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as Ran).data;
}

/** The services that have logged a request id. */
function namesOf(services: Services, requestId: string): string[] {
  const lines = services.log.filter((line) => line.includes(requestId));
  return lines.map((line) => JSON.parse(line).name as string).sort();
}

test('[auth.svc-header] [auth.aio-header] the gateway accepts the key in every form', async () => {
  await using services = await Services.start({ SVC_API_KEY: KEY });
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(services.url + path, { headers, redirect: 'manual' })).status;
  expect(await status('/v2/commands')).toBe(401);
  expect(await status('/cdp/json/version')).toBe(401);
  for (const headers of [
    { authorization: `Bearer ${KEY}` },
    { 'x-api-key': KEY },
    { 'X-SVC-API-Key': KEY },
    { 'X-AIO-API-Key': KEY },
  ]) {
    expect(await status('/v2/commands', headers)).toBe(200);
    expect(await status('/cdp/json/version', headers)).toBe(503);
  }
  expect(await status(`/v2/commands?api_key=${KEY}`)).toBe(200);
  expect(await status(`/cdp/json/version?api_key=${KEY}`)).toBe(503);
  expect(await status('/health')).toBe(200);
});

test('[manners.live-headers] the gateway passes on what keeps other proxies from buffering', async () => {
  await using services = await Services.start();
  const live = { 'cache-control': 'no-store, no-cache, no-transform', 'x-accel-buffering': 'no' };
  const { command_id } = await run(services, { command: 'echo hi' });
  const lines = await fetch(`${services.url}/v2/commands/${command_id}`, {
    headers: { accept: 'application/x-ndjson' },
  });
  const params = { name: 'sandbox_execute_bash', arguments: { cmd: 'echo hi' }, _meta: { progressToken: 1 } };
  const events = await fetch(`${services.url}/mcp`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    headers: { accept: 'application/json, text/event-stream' },
  });
  for (const answer of [lines, events]) {
    expect(Object.fromEntries(answer.headers)).toMatchObject(live);
    await answer.text();
  }
});

test('[cookie.redirect] a page opened with the key or a ticket is redirected without it and stays usable', async () => {
  await using services = await Services.start({ SVC_API_KEY: KEY, LOG_LEVEL: 'debug' });
  const open = (path: string, cookie = '') =>
    fetch(services.url + path, { headers: { accept: 'text/html', cookie }, redirect: 'manual' });
  const opened = await open(`/?a=1&api_key=${KEY}&b=%20c`);
  expect([opened.status, opened.headers.get('location')]).toEqual([302, './?a=1&b=%20c']);
  const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const page = await (await open('/', cookie)).text();
  expect(page).toContain('"v2/openapi.json"');
  const closed = await open('/');
  expect(closed.status).toBe(200);
  expect(await closed.text()).not.toContain('"v2/openapi.json"');
  const { data } = (await (
    await fetch(`${services.url}/v2/tickets`, {
      method: 'POST',
      headers: { 'x-api-key': KEY },
      body: '{"path_prefix":"/vnc/"}',
    })
  ).json()) as { data: { ticket: string } };
  const vnc = await open(`/vnc/index.html?ticket=${data.ticket}&path=websockify`);
  expect([vnc.status, vnc.headers.get('location')]).toEqual([302, './index.html?path=websockify']);
  const spent = await open(`/vnc/index.html?ticket=${data.ticket}`);
  expect([spent.status, spent.headers.get('location')]).toEqual([303, '?svc_sign_in=link']);
  const form = await open('/vnc/');
  expect([form.status, form.headers.get('content-type')]).toEqual([401, expect.stringMatching(/^text\/html/)]);
  // Each service logs in order, so the line of the last request follows those of all others.
  await fetch(`${services.url}/v2/commands`, { headers: { 'x-api-key': KEY, 'x-request-id': 'the-last' } });
  await expect.poll(() => namesOf(services, 'the-last')).toEqual(['daemon', 'gateway']);
  expect(services.log.join('\n')).not.toContain(KEY);
  expect(services.log.join('\n')).not.toContain(data.ticket);
});

test('[proxy.host-passed-on] the daemon receives the original Host', async () => {
  await using services = await Services.start();
  const { port } = new URL(services.url);
  const status = async (host: string) => {
    const call = request({ host: '127.0.0.1', port, path: '/v2/commands', headers: { host } }).end();
    const [answer] = await once(call, 'response');
    answer.resume();
    return answer.statusCode;
  };
  expect(await status('localhost')).toBe(200);
  expect(await status('rebound.example')).toBe(403);
});

test('gateway and daemon log the same request id', async () => {
  await using services = await Services.start({ LOG_LEVEL: 'debug' });
  const answer = await fetch(`${services.url}/v2/commands`, { headers: { 'x-request-id': 'trace-me-1' } });
  expect(answer.headers.get('x-request-id')).toBe('trace-me-1');
  await expect.poll(() => namesOf(services, 'trace-me-1')).toEqual(['daemon', 'gateway']);
});

test('[gateway.streamed] 100 MB of stdin are returned unchanged as raw output', async () => {
  await using services = await Services.start({ SVC_COMMAND_OUTPUT_MAX_BYTES: '200000000' });
  const { command_id } = await run(services, { command: 'cat', mode: 'async' });
  const hash = createHash('sha256');
  const piece = Buffer.alloc(1_000_000, 'The quick brown fox. ');
  const pieces = function* () {
    for (let i = 0; i < 100; i += 1) {
      hash.update(piece);
      yield piece;
    }
  };
  const sent = await fetch(`${services.url}/v2/commands/${command_id}/stdin?eof=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: Readable.toWeb(Readable.from(pieces())) as ReadableStream,
    duplex: 'half',
  });
  expect(sent.status).toBe(200);
  await (await fetch(`${services.url}/v2/commands/${command_id}?stream=true&offset=99999999`)).text();
  const raw = await fetch(`${services.url}/v2/commands/${command_id}`, {
    headers: { accept: 'application/octet-stream' },
  });
  const back = createHash('sha256')
    .update(Buffer.from(await raw.arrayBuffer()))
    .digest('hex');
  expect(back).toBe(hash.digest('hex'));
});

test('[gateway.daemon-down] [gateway.health] a stopped daemon is 503 with the envelope, and is reached again after its start', async () => {
  await using services = await Services.start();
  await run(services, { command: 'echo kept' });
  const health = await fetch(`${services.url}/health`);
  expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ status: 'healthy' })]);
  await services.stopDaemon('SIGKILL');
  expect((await fetch(`${services.url}/health`)).status).toBe(503);
  const away = await fetch(`${services.url}/v2/commands`);
  expect([away.status, await away.json()]).toEqual([503, expect.objectContaining({ success: false, data: null })]);
  await services.startDaemon();
  const back = (await (await fetch(`${services.url}/v2/commands`)).json()) as {
    data: { commands: { command: string }[] };
  };
  expect(back.data.commands[0]?.command).toBe('echo kept');
});

test('[stream.heartbeat] a stream sends a heartbeat after 15 s of silence', async () => {
  await using services = await Services.start();
  const { command_id } = await run(services, { command: 'sleep 600', mode: 'async' });
  const started = performance.now();
  const stream = await fetch(`${services.url}/v2/commands/${command_id}?stream=true`);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe('{"type":"heartbeat"}\n');
  const silence = performance.now() - started;
  expect(silence).toBeGreaterThan(14_000);
  // The upper bound allows for a busy machine.
  expect(silence).toBeLessThan(19_000);
  await reader?.cancel();
  const { data } = (await (await fetch(`${services.url}/v2/commands/${command_id}`)).json()) as {
    data: { command: { status: string } };
  };
  expect(data.command.status).toBe('running');
});

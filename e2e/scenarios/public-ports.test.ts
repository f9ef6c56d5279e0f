import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../scripts/testing/free-port.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { Services } from '../services.ts';

const KEY = 'open-sesame-7';

interface Got {
  readonly status: number | undefined;
  readonly body: string;
}

/** An application that answers with the headers that it got, and accepts each upgrade. */
async function application(): Promise<Server & AsyncDisposable & { readonly port: number }> {
  const server = createServer((req, res) => res.end(JSON.stringify(req.headers)));
  server.on('upgrade', (_req, socket) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

/** A request with headers that fetch would not send; an upgrade has its status alone. */
function get(port: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const read = async (answer: IncomingMessage): Promise<void> => {
      let body = '';
      for await (const piece of answer) body += piece;
      resolve({ status: answer.statusCode, body });
    };
    request({ host: '127.0.0.1', port, path, headers })
      .on('response', (answer) => void read(answer))
      .on('upgrade', ({ statusCode }, socket) => {
        socket.destroy();
        resolve({ status: statusCode, body: '' });
      })
      .on('error', reject)
      .end();
  });
}

async function create(services: Services): Promise<{ sandboxID: string; envd: string; traffic: string }> {
  const created = await fetch(`${services.url}/compat/e2b/sandboxes`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ templateID: 'base' }),
  });
  expect(created.status).toBe(201);
  const body = (await created.json()) as Record<string, string>;
  const { sandboxID = '', envdAccessToken = '', trafficAccessToken = '' } = body;
  return { sandboxID, envd: envdAccessToken, traffic: trafficAccessToken };
}

const remove = (services: Services, id: string): Promise<Response> =>
  fetch(`${services.url}/compat/e2b/sandboxes/${id}`, { method: 'DELETE', headers: { 'x-api-key': KEY } });

test('[preview.public-ports] a listed port needs no credential, in each form; nothing else is open', async () => {
  await using open = await application();
  await using closed = await application();
  const gateway = await freePort();
  const SVC_PUBLIC_PORTS = [open.port, gateway].join(', ');
  await using services = await Services.start({ SVC_API_KEY: KEY, SVC_PUBLIC_PORTS });
  const status = async (path: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
    (await get(services.gatewayPort, path, headers)).status;
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
  const forms = (port: number): readonly (readonly [string, Record<string, string>])[] => [
    [`/proxy/${port}/`, {}],
    [`/absproxy/${port}/a?b`, {}],
    ['/', { host: `${port}.localhost` }],
    ['/', { host: `${port}-box.example.com` }],
    ['/', { 'x-svc-proxy-port': String(port) }],
  ];
  for (const [path, headers] of forms(open.port)) {
    expect([path, headers, await status(path, headers)]).toEqual([path, headers, 200]);
    expect(await status(path, { ...headers, ...upgrade })).toBe(101);
  }
  for (const [path, headers] of forms(closed.port)) {
    expect(await status(path, headers)).toBe(401);
    expect(await status(path, { ...headers, ...upgrade })).toBe(401);
  }
  const dotted = [`/proxy/${open.port}/../${closed.port}/`, `/proxy/${open.port}%2f..%2f${closed.port}/`];
  expect((await get(services.gatewayPort, dotted[0] ?? '')).body).not.toContain(String(closed.port));
  expect(await status(dotted[1] ?? '')).not.toBe(200);
  for (const path of [
    '/v2/commands',
    `/v2/ports/${open.port}/connect`,
    `/open/${open.port}`,
    `/proxy/0${open.port}/`,
  ]) {
    expect([path, await status(path)]).toEqual([path, 401]);
  }
  const withKey = await get(services.gatewayPort, `/proxy/${open.port}/?api_key=${KEY}`, { 'x-api-key': KEY });
  expect(withKey.status).toBe(200);
  expect(withKey.body).not.toContain(KEY);
});

test("[preview.public-ports] the product's own ports stay closed, and so does all before a claim", async () => {
  await using open = await application();
  const port = await freePort();
  const own = { SVC_E2B_PORT: String(port), SVC_PUBLIC_PORTS: `${port},${open.port}` };
  await using services = await Services.start({ SVC_API_KEY: KEY, ...own });
  expect((await get(services.gatewayPort, `/proxy/${port}/`)).status).toBe(403);
  await using directory = await tempDir();
  const SVC_CLAIM_TOKEN_FILE = join(directory.path, 'token');
  await writeFile(SVC_CLAIM_TOKEN_FILE, 'claim-token-of-the-test');
  await using locked = await Services.start({ SVC_CLAIM_TOKEN_FILE, SVC_PUBLIC_PORTS: String(open.port) });
  expect((await get(locked.gatewayPort, `/proxy/${open.port}/`)).status).toBe(401);
});

test('[preview.public-ports] [e2b.traffic] the traffic token of a sandbox opens its ports and is not passed on', async () => {
  await using app = await application();
  const port = await freePort();
  await using services = await Services.start({ SVC_API_KEY: KEY, SVC_E2B_PORT: String(port) });
  const { sandboxID, envd, traffic } = await create(services);
  const at = { 'e2b-sandbox-port': String(app.port), 'e2b-sandbox-id': sandboxID };
  const previewed = await get(port, '/x', { ...at, 'e2b-traffic-access-token': traffic });
  expect([previewed.status, previewed.body.includes(traffic)]).toEqual([200, false]);
  const byHost = { host: `${app.port}-${sandboxID}.example.com`, 'e2b-traffic-access-token': traffic };
  expect((await get(services.gatewayPort, '/', byHost)).status).toBe(200);
  const refused = [{}, { 'e2b-traffic-access-token': envd }, { 'e2b-traffic-access-token': `${traffic}x` }];
  for (const headers of refused) expect((await get(port, '/x', { ...at, ...headers })).status).toBe(401);
  const other = { ...at, 'e2b-sandbox-id': 'another', 'e2b-traffic-access-token': traffic };
  expect((await get(port, '/x', other)).status).toBe(401);
  const withToken = { 'e2b-traffic-access-token': traffic };
  for (const path of ['/v2/commands', `/v2/ports/${app.port}/connect`, '/vnc/', '/cdp/json/version']) {
    expect([path, (await get(services.gatewayPort, path, withToken)).status]).toEqual([path, 401]);
  }
  await remove(services, sandboxID);
  expect((await get(services.gatewayPort, '/', byHost)).status).toBe(401);
});

test('[e2b.shutdown] with SVC_PROTOCOL_SHUTDOWN the end of the last sandbox stops the service', async () => {
  const env = { SVC_API_KEY: KEY, SVC_PROTOCOL_SHUTDOWN: 'true', SVC_PROTOCOL_SHARED: 'true' };
  await using services = await Services.start(env);
  const [first, second] = [await create(services), await create(services)];
  const ended = once(services.daemon, 'exit');
  expect((await remove(services, first.sandboxID)).status).toBe(204);
  expect((await fetch(`${services.url}/health`)).status).toBe(200);
  expect((await remove(services, second.sandboxID)).status).toBe(204);
  expect(await ended).toEqual([0, null]);
});

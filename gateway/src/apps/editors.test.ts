import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { Daemon, exchange, startAuthDaemon, startGateway } from '../gateway.fixture.ts';

const KEY = 'X-API-Key: k';

interface EditorSetup extends AsyncDisposable {
  readonly port: number;
  readonly app: Daemon;
  get(path: string, fields?: string): Promise<string>;
}

/** A gateway in front of an editor on a unix socket that responds with the request it received. */
async function startEditor(name: 'CODE_SERVER' | 'JUPYTER'): Promise<EditorSetup> {
  const directory = await tempDir();
  const socket = join(directory.path, 'app.sock');
  const app = new Daemon((req, res) => {
    res.setHeader('Set-Cookie', 'a=1; Path=/');
    if (req.url?.endsWith('/moved')) res.writeHead(302, { Location: './x' });
    res.end(JSON.stringify({ url: req.url, headers: req.headers }));
  });
  await new Promise<void>((resolve) => app.server.listen(socket, () => resolve()));
  const daemon = await startAuthDaemon();
  const gateway = await startGateway(daemon.port, {
    env: { [`DISABLE_${name}`]: 'false', [`GATEWAY_${name}`]: socket },
  });
  return {
    port: gateway.port,
    app,
    get: (path, fields = `Host: h\n${KEY}`) => exchange(gateway.port, `GET ${path} HTTP/1.1\n${fields}`),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

function received(answer: string): { url: string; headers: Record<string, string> } {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n{') + 4)) as { url: string; headers: Record<string, string> };
}

test('[code-server.proxied] code-server receives paths without the prefix and the client’s Host', async () => {
  await using set = await startEditor('CODE_SERVER');
  const answer = await set.get(
    '/code-server/a%2Fb?folder=%2Fhome&api_key=k',
    'Host: box:8080\nOrigin: http://box:8080',
  );
  expect(answer).toContain('Set-Cookie: a=1; Path=/code-server/\r\n');
  const { url, headers } = received(answer);
  expect(url).toBe('/a%2Fb?folder=%2Fhome');
  expect(headers).toMatchObject({ host: 'box:8080', origin: 'http://box:8080', 'x-forwarded-prefix': '/code-server' });
  expect(await set.get('/code-server?x')).toMatch(/^HTTP\/1\.1 308 [\s\S]*Location: code-server\/\?x\r/);
  expect(await set.get('/code-server/moved')).toContain('Location: ./x\r\n');
});

test('[jupyter.proxied] JupyterLab receives paths with the prefix and a local Host', async () => {
  await using set = await startEditor('JUPYTER');
  const { url, headers } = received(await set.get('/jupyter/lab?x', `Host: box:8080\nOrigin: http://box:8080\n${KEY}`));
  expect(url).toBe('/jupyter/lab?x');
  expect(headers).toMatchObject({ host: 'localhost', origin: 'http://localhost', 'x-forwarded-host': 'box:8080' });
  expect(headers['x-api-key']).toBeUndefined();
  const foreign = received(await set.get('/jupyter/api', `Host: box\nOrigin: https://evil.example\n${KEY}`));
  expect(foreign.headers['origin']).toBe('https://evil.example');
});

test.each(['CODE_SERVER', 'JUPYTER'] as const)(
  '[editor.gate] %s: no request reaches it without the key',
  async (name) => {
    await using set = await startEditor(name);
    const sockets = new WebSocketServer({ server: set.app.server });
    sockets.on('connection', (ws, req) => ws.send(`${req.url}`));
    const prefix = name === 'JUPYTER' ? '/jupyter' : '/code-server';
    expect(await set.get(`${prefix}/`, 'Host: h')).toMatch(/^HTTP\/1\.1 401 /);
    const unauthorized = new WebSocket(`ws://127.0.0.1:${set.port}${prefix}/ws`);
    expect(((await once(unauthorized, 'error')) as [Error])[0].message).toContain('401');
    expect([set.app.connections, sockets.clients.size]).toEqual([0, 0]);
    const authorized = new WebSocket(`ws://127.0.0.1:${set.port}${prefix}/ws?token=x`, {
      headers: { 'x-api-key': 'k' },
    });
    const [hello] = (await once(authorized, 'message')) as [Buffer];
    expect(String(hello)).toBe(name === 'JUPYTER' ? '/jupyter/ws?token=x' : '/ws?token=x');
    authorized.terminate();
  },
);

test.each([
  '/proxy/9222/json',
  '/absproxy/8091/',
  '/PROXY/9222/',
  '/%70roxy/9222/',
  '//proxy/9222/',
  '/./proxy/9222',
  '/proxy%2F9222/',
  '/proxy',
])('[code-server.no-ports] code-server’s built-in port proxy is blocked: %s', async (path) => {
  await using set = await startEditor('CODE_SERVER');
  expect(await set.get(`/code-server${path}`)).toMatch(/^HTTP\/1\.1 404 [\s\S]*\/proxy\/\{port\}/);
  expect(set.app.requests).toEqual([]);
});

test('[editor.off] a disabled editor is 404 with a hint how to enable it, a stopped one 503', async () => {
  await using daemon = await startAuthDaemon();
  await using off = await startGateway(daemon.port);
  await using down = await startGateway(daemon.port, {
    env: { DISABLE_CODE_SERVER: 'false', DISABLE_JUPYTER: 'false' },
  });
  const get = (port: number, path: string) => exchange(port, `GET ${path} HTTP/1.1\nHost: h\n${KEY}`);
  expect(await get(off.port, '/code-server/')).toMatch(/^HTTP\/1\.1 404 [\s\S]*DISABLE_CODE_SERVER=false/);
  expect(await get(off.port, '/jupyter/lab')).toMatch(/^HTTP\/1\.1 404 [\s\S]*DISABLE_JUPYTER=false/);
  expect(await get(down.port, '/code-server/')).toMatch(/^HTTP\/1\.1 503 [\s\S]*code-server is not reachable/);
  expect(await get(down.port, '/jupyter/lab')).toMatch(/^HTTP\/1\.1 503 [\s\S]*JupyterLab is not reachable/);
});

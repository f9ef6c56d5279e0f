import { request } from 'node:http';
import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { startDaemon, startGateway } from '../gateway.fixture.ts';

/** Status and body of a request with these headers, which fetch would not all send. */
function get(port: number, path: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers }, (answer) => {
      let body = `${answer.statusCode} `;
      answer.on('data', (piece) => {
        body += piece;
      });
      answer.on('end', () => resolve(body));
    })
      .on('error', reject)
      .end();
  });
}

function echoDaemon() {
  return startDaemon((req, res) => {
    if (req.url === '/internal/auth') res.writeHead(204).end();
    else res.end(`${req.method} ${req.url} ${req.headers.host}`);
  });
}

test('[e2b.door] hosts of the protocol lead to its routes, all others do not', async () => {
  await using daemon = await echoDaemon();
  await using gateway = await startGateway(daemon.port);
  const of = (host: string, path = '/files?path=%2Fa') => get(gateway.port, path, { host });
  for (const host of ['49983-box.localhost', '49999-box.example.com:8080', 'E2B.localhost', 'e2b.localhost.:8080']) {
    expect(await of(host)).toBe(`200 GET /compat/e2b/files?path=%2Fa ${host}`);
  }
  expect(await of('e2b.localhost', '/compat/e2b/sandboxes')).toBe('200 GET /compat/e2b/sandboxes e2b.localhost');
  expect(await of('localhost', '/v2/fs')).toBe('200 GET /v2/fs localhost');
  for (const host of ['e2b.localhost.evil.example', '49983x-box.localhost', 'x49983-box.localhost']) {
    expect(await of(host, '/v2/x')).toBe(`200 GET /v2/x ${host}`);
  }
});

test('[e2b.door] a listener of its own serves the protocol alone, and previews the port that the header names', async () => {
  await using app = await startDaemon((req, res) => res.end(`app ${req.url}`));
  await using daemon = await echoDaemon();
  const port = await freePort();
  await using gateway = await startGateway(daemon.port, { env: { SVC_E2B_PORT: String(port) } });
  const host = `127.0.0.1:${port}`;
  expect(await get(port, '/v2/sandboxes', { host })).toBe(`200 GET /compat/e2b/v2/sandboxes ${host}`);
  for (const own of ['49983', '49999']) {
    expect(await get(port, '/x', { host, 'e2b-sandbox-port': own })).toBe(`200 GET /compat/e2b/x ${host}`);
  }
  expect(await get(port, '/y?z', { host, 'e2b-sandbox-port': String(app.port) })).toBe('200 app /y?z');
  for (const refused of [String(port), String(gateway.port), String(daemon.port)]) {
    expect(await get(port, '/', { host, 'e2b-sandbox-port': refused })).toMatch(/^403 /);
  }
  expect(await get(port, '/', { host, 'e2b-sandbox-port': '0x' })).toMatch(/^400 /);
  expect(await get(gateway.port, '/x', { host: 'localhost', 'e2b-sandbox-port': '49983' })).toBe(
    '200 GET /x localhost',
  );
});

test('[swe-rex.door] the listener of SWE-ReX leads to its routes alone', async () => {
  await using daemon = await echoDaemon();
  const port = await freePort();
  await using _gateway = await startGateway(daemon.port, { env: { SVC_SWEREX_PORT: String(port) } });
  const host = `127.0.0.1:${port}`;
  expect(await get(port, '/is_alive', { host })).toBe(`200 GET /compat/swe-rex/is_alive ${host}`);
  expect(await get(port, '/v2/fs', { host, 'e2b-sandbox-port': '3000' })).toBe(`200 GET /compat/swe-rex/v2/fs ${host}`);
});

test('[sandboxd.older] the listener of the older runtime API leads to its routes alone', async () => {
  await using daemon = await echoDaemon();
  const port = await freePort();
  await using _gateway = await startGateway(daemon.port, { env: { SVC_PYTHON_RUNTIME_PORT: String(port) } });
  const host = `box.default.svc.cluster.local:${port}`;
  const prefix = '/compat/sandboxd/python-runtime';
  expect(await get(port, '/list/a%2Fb', { host })).toBe(`200 GET ${prefix}/list/a%2Fb ${host}`);
  expect(await get(port, '/v2/fs', { host })).toBe(`200 GET ${prefix}/v2/fs ${host}`);
});

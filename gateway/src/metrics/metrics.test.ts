import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { startAuthDaemon, startDaemon, startGateway } from '../gateway.fixture.ts';

const KEY = { 'x-api-key': 'k' };

async function figuresOf(origin: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${origin}/gateway/metrics`, { headers: KEY })).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
}

test('[metrics.gateway] connections, bytes, upgrades and failed upstreams of the gateway have series', async () => {
  await using daemon = await startAuthDaemon((_req, res) => void res.end('x'.repeat(5000)));
  await using gateway = await startGateway(daemon.port);
  const sockets = new WebSocketServer({ server: daemon.server, path: '/v2/pty/ws' });
  const before = await figuresOf(gateway.origin);
  await (await fetch(`${gateway.origin}/v2/sandbox`)).text();
  const socket = new WebSocket(`${gateway.origin.replace('http', 'ws')}/v2/pty/ws`);
  await new Promise((resolve) => socket.once('open', resolve));
  expect((await fetch(`${gateway.origin}/cdp/json/version`, { headers: KEY })).status).toBe(503);
  const after = await figuresOf(gateway.origin);
  const grown = (name: string): number => (after[name] ?? Number.NaN) - (before[name] ?? Number.NaN);
  expect(grown('gateway_upgrades_total')).toBe(1);
  expect(grown('gateway_upstream_failures_total')).toBe(1);
  expect(grown('gateway_connections_total')).toBeGreaterThan(0);
  expect(grown('gateway_sent_bytes_total')).toBeGreaterThan(5000);
  expect(grown('gateway_received_bytes_total')).toBeGreaterThan(100);
  expect(after['gateway_open_connections']).toBeGreaterThan(1);
  expect(after['nodejs_eventloop_lag_p99_seconds']).toBeGreaterThanOrEqual(0);
  socket.terminate();
  sockets.close();
});

test('[metrics.gateway] the series need the key, and other methods are refused', async () => {
  await using daemon = await startAuthDaemon();
  await using gateway = await startGateway(daemon.port);
  expect((await fetch(`${gateway.origin}/gateway/metrics`)).status).toBe(401);
  const posted = await fetch(`${gateway.origin}/gateway/metrics`, { method: 'POST', headers: KEY });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('[metrics.gateway] bytes of closed connections stay counted', async () => {
  await using daemon = await startDaemon((_req, res) => void res.writeHead(204).end());
  await using gateway = await startGateway(daemon.port);
  await (await fetch(`${gateway.origin}/v2/sandbox`, { headers: { connection: 'close' } })).text();
  const first = await figuresOf(gateway.origin);
  const second = await figuresOf(gateway.origin);
  expect(second['gateway_sent_bytes_total']).toBeGreaterThanOrEqual(first['gateway_sent_bytes_total'] ?? Number.NaN);
  expect(second['gateway_received_bytes_total']).toBeGreaterThan(first['gateway_received_bytes_total'] ?? Number.NaN);
});

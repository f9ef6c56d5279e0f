import { createConnection } from 'node:net';
import { describe, expect, test } from 'vitest';
import { BARE, started, TestViewer } from '../pty.fixture.ts';

/** Status of the answer to a handshake. */
async function handshake(url: string, headers: Record<string, string> = {}): Promise<number> {
  await using viewer = new TestViewer(url, { headers });
  return await new Promise<number>((resolve) => {
    viewer.socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    viewer.socket.on('open', () => resolve(101));
  });
}

describe('the upgrade', () => {
  test('[status.websocket-401] without a valid key the upgrade is refused with 401', async () => {
    await using service = await started({ apiKey: 'secret' });
    const { daemon, ws } = service;
    await daemon.post('/v2/pty/sessions', { ...BARE, id: 'a' }, { 'x-api-key': 'secret' });
    const url = `${ws}/v2/pty/sessions/a/ws`;
    expect(await handshake(url)).toBe(401);
    expect(await handshake(`${url}?api_key=wrong`)).toBe(401);
    expect(await handshake(`${url}?api_key=secret`)).toBe(101);
    expect(await handshake(url, { authorization: 'Bearer secret' })).toBe(101);
    const ticket = await daemon.post('/v2/tickets', { path_prefix: '/v2/pty/' }, { 'x-api-key': 'secret' });
    expect(await handshake(`${url}?ticket=${ticket.json().data.ticket}`)).toBe(101);
    expect(await handshake(`${url}?ticket=${ticket.json().data.ticket}`)).toBe(401);
  });

  test('[origin.websocket] without a configured key a foreign origin is refused, the own origin is not', async () => {
    await using service = await started();
    const { ws } = service;
    expect(await handshake(`${ws}/v2/pty/ws`, { origin: 'http://evil.example' })).toBe(403);
    expect(await handshake(`${ws}/v2/pty/ws`, { host: 'evil.example' })).toBe(403);
    expect(await handshake(`${ws}/v2/pty/ws`, { origin: ws.replace('ws', 'http') })).toBe(101);
  });

  test('[pty.ws-without-id] durable and restore need an id; values out of bounds are refused', async () => {
    await using service = await started();
    const { daemon, ws } = service;
    expect(await handshake(`${ws}/v2/pty/ws?durable=true`)).toBe(400);
    expect(await handshake(`${ws}/v2/pty/ws?restore=1`)).toBe(400);
    expect(await handshake(`${ws}/v2/pty/ws?protocol=smoke`)).toBe(422);
    expect(await handshake(`${ws}/v2/pty/sessions/a/ws?replay_bytes=1`)).toBe(422);
    expect(await handshake(`${ws}/v2/nowhere`)).toBe(404);
    const plain = await daemon.inject('/v2/pty/ws');
    expect([plain.statusCode, plain.headers['upgrade'], plain.json().success]).toEqual([426, 'websocket', false]);
    expect((await daemon.inject('/v2/pty/sessions')).json().data.stats.total_sessions).toBe(0);
  });

  test('[pty.ws-unknown] an unknown session: an error message after the upgrade, then close 4404', async () => {
    await using service = await started();
    await using viewer = new TestViewer(`${service.ws}/v2/pty/sessions/none/ws`);
    expect(await viewer.closed).toEqual([4404, 'Session not found']);
    expect(viewer.messages).toEqual([{ type: 'error', data: 'Session not found' }]);
  });

  test('an upgrade to another protocol is ignored', async () => {
    await using service = await started();
    const answer = await new Promise<string>((resolve) => {
      const socket = createConnection(Number(new URL(service.ws).port), '127.0.0.1');
      socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('end', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { addressTest } from '@sandbox/program/trusted-proxies.ts';
import { expect, test } from 'vitest';
import { peerOf } from './peer.ts';

test('an IPv4 peer of a dual-stack socket has its IPv4 address', async () => {
  const server = createServer().listen(0, '::');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = (await once(server, 'connection')) as [Socket];
  expect(socket.remoteAddress).toBe('::ffff:127.0.0.1');
  expect(peerOf(socket, addressTest(['127.0.0.1']))).toEqual({ address: '127.0.0.1', trusted: true });
  expect(peerOf(socket, addressTest(['10.0.0.0/8', '::1']))).toEqual({ address: '127.0.0.1', trusted: false });
  client.destroy();
  socket.destroy();
  server.close();
});

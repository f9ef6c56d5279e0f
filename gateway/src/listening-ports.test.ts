import { createServer } from 'node:http';
import process from 'node:process';
import { expect, test } from 'vitest';
import { listeningPorts, portsOf } from './listening-ports.ts';

test('ports are read of what listens, at any address or loopback, below those that programs are given', () => {
  const rows = [
    '  sl  local_address rem_address   st',
    '   0: 0100007F:0BB8 00000000:0000 0A 0',
    '   1: 00000000:1F90 00000000:0000 0A 0',
    '   2: 0200000A:0050 00000000:0000 0A 0',
    '   3: 0100007F:0BB9 0100007F:0050 01 0',
    '   4: 0100007F:9C40 00000000:0000 0A 0',
    '   5: 00000000000000000000000001000000:1435 00000000000000000000000000000000:0000 0A 0',
    '',
  ];
  expect(portsOf(rows.join('\n'))).toEqual([3000, 8080, 5173]);
});

test.runIf(process.platform === 'linux')('a server that starts is among them, one that ends is not', async () => {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    const attempt = (candidate: number): void => {
      server.once('error', () => attempt(candidate + 1));
      server.listen(candidate, '127.0.0.1', () => resolve(candidate));
    };
    attempt(21_000 + (process.pid % 9_000));
  });
  expect(await listeningPorts()).toContain(port);
  await new Promise((resolve) => server.close(resolve));
  expect(await listeningPorts()).not.toContain(port);
});

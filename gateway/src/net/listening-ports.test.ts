import { once } from 'node:events';
import { createServer } from 'node:http';
import process from 'node:process';
import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { listeningPorts, portsOf } from './listening-ports.ts';

test('the listening ports at wildcard and loopback addresses are listed, without ephemeral ones', () => {
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

test.runIf(process.platform === 'linux')('a server is listed while it listens', async () => {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  expect(await listeningPorts()).toContain(port);
  await new Promise((resolve) => server.close(resolve));
  expect(await listeningPorts()).not.toContain(port);
});

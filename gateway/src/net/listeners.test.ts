import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { hasListener, unixListeners } from './listeners.ts';

test('paths of listening stream sockets are read from the table, those of connections are not', () => {
  const table = [
    'Num       RefCount Protocol Flags    Type St Inode Path',
    '000000003987e5e5: 00000003 00000000 00000000 0001 03 13097357 /run/connected.sock',
    '000000005e2500b2: 00000002 00000000 00010000 0001 01 12087073 /var/run/a b.sock',
    '000000005e2500b3: 00000002 00000000 00010000 0001 01    73 @abstract',
    '000000005e2500b4: 00000002 00000000 00010000 0005 01 12087074 /run/packets.sock',
  ].join('\n');
  expect([...unixListeners(table)]).toEqual(['/var/run/a b.sock']);
});

test.runIf(process.platform === 'linux')('a listener is found without a connection to it', async () => {
  await using directory = await tempDir();
  const socketPath = join(directory.path, 'v.sock');
  let connections = 0;
  const unix = createServer(() => (connections += 1)).listen(socketPath);
  const tcp = createServer(() => (connections += 1)).listen(0, '127.0.0.1');
  await Promise.all([once(unix, 'listening'), once(tcp, 'listening')]);
  const address = tcp.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const to = { host: '127.0.0.1', port: address.port };
  expect([await hasListener({ socketPath }), await hasListener(to)]).toEqual([true, true]);
  await Promise.all([unix, tcp].map((server) => new Promise((resolve) => server.close(resolve))));
  expect([await hasListener({ socketPath }), await hasListener(to), connections]).toEqual([false, false, 0]);
});

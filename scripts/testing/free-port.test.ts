import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

test('every port is a new one, can be bound, and is outside the ephemeral range', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, () => freePort()));
  expect(new Set(ports).size).toBe(200);
  expect(Math.max(...ports)).toBeLessThan(30_000);
  const server = createServer().listen(ports[0], '127.0.0.1');
  await once(server, 'listening');
  server.close();
});

test.runIf(process.platform === 'linux')('no two processes get the same, though none listens yet', async () => {
  const own = await Promise.all(Array.from({ length: 250 }, () => freePort()));
  const program = `const { freePort } = await import(${JSON.stringify(join(import.meta.dirname, 'free-port.ts'))});
    const ports = await Promise.all(Array.from({ length: 250 }, () => freePort()));
    process.stdout.write(JSON.stringify(ports));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect((JSON.parse(stdout) as number[]).filter((port) => own.includes(port))).toEqual([]);
});

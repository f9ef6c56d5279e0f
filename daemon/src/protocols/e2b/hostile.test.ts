import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { collect, E2bClient } from './e2b-client.fixture.ts';

const CLIENTS = 32;
const start = (text: string) => ({ process: { cmd: '/bin/bash', args: ['-c', text] }, stdin: false });

/** A connection that has sent these bytes and reads nothing. */
async function silent(url: string, head: string, body: string | Buffer): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.pause();
  socket.on('error', () => undefined);
  socket.write(head);
  socket.write(body);
  return socket;
}

/** A message in the frame of the Connect protocol, which may lie about its length. */
function framed(json: object, length?: number): Buffer {
  const body = Buffer.from(JSON.stringify(json));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(length ?? body.length, 1);
  return Buffer.concat([head, body]);
}

function headOf(path: string, type: string, length: number): string {
  return `POST /compat/e2b${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
}

test('[e2b.hostile] clients that read nothing, lie about lengths or leave harm no other', async () => {
  await using client = await E2bClient.start();
  const flood = framed(start('yes 0123456789abcdef | head -c 200000000'));
  const lie = framed({}, 4_000_000_000);
  const sockets: Socket[] = [];
  const before = process.memoryUsage().rss;
  for (let i = 0; i < CLIENTS; i += 1) {
    const stream = 'application/connect+json';
    const path = '/process.Process/Start';
    sockets.push(await silent(client.url, headOf(path, stream, flood.length), i % 2 ? flood : flood.subarray(0, 9)));
    sockets.push(await silent(client.url, headOf(path, stream, lie.length), lie));
    sockets.push(
      await silent(client.url, headOf('/files?path=/tmp/e2b-hostile', 'multipart/form-data; boundary=b', 99), '--b'),
    );
  }
  const { process: programs } = client.rpc();
  const runs = await Promise.all(
    Array.from({ length: CLIENTS }, (_, n) => collect(programs.start(start(`echo ${n}`)))),
  );
  expect(runs.map(({ stdout }) => stdout)).toEqual(Array.from({ length: CLIENTS }, (_, n) => `${n}\n`));
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  for (const socket of sockets) socket.destroy();
  expect((await client.fetch('/health')).status).toBe(204);
  expect((await client.fetch('/files?path=/tmp/e2b-hostile')).status).toBe(404);
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
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
  return Buffer.concat([frameHead(length ?? body.length), body]);
}

function frameHead(length: number, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(length, 1);
  return head;
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

test('[e2b.hostile] a message of more values than a body of JSON may have is refused before it is parsed', async () => {
  await using client = await E2bClient.start();
  const send = async (method: string, type: string, body: Buffer, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { 'content-type': type, ...headers }, body: new Uint8Array(body) };
    return await (await client.fetch(`/process.Process/${method}`, init)).text();
  };
  const stream = (message: Buffer, flags?: number) => Buffer.concat([frameHead(message.length, flags), message]);
  const values = 140_000;
  const json = Buffer.from(`{"process":{"cmd":"true","args":[${'"",'.repeat(values)}""]}}`);
  const excess = 'the message has more than 131072 values';
  expect(await send('Start', 'application/connect+json', stream(json))).toContain(excess);
  const zipped = { 'connect-content-encoding': 'gzip' };
  expect(await send('Start', 'application/connect+json', stream(gzipSync(json), 1), zipped)).toContain(excess);
  expect(await send('SendInput', 'application/json', json)).toContain(excess);
  expect(await send('SendInput', 'application/json', gzipSync(json), { 'content-encoding': 'gzip' })).toContain(excess);
  // Field 1, a process with empty arguments (field 2); and a field that is not known.
  const args = Buffer.from('1200'.repeat(values), 'hex');
  const started = Buffer.concat([Buffer.from([0x0a, 0xc0, 0x8b, 0x11]), args]);
  expect(await send('Start', 'application/connect+proto', stream(started))).toContain('more than 131072 fields');
  const unknown = Buffer.from('7800'.repeat(values), 'hex');
  expect(await send('SendInput', 'application/proto', unknown)).toContain('more than 131072 fields');
});

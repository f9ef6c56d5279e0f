import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { requireOk } from './http-client.ts';

/** Bytes of one write. */
const PIECE = Buffer.alloc(1024 ** 2, 'x');

/**
 * PUTs a number of bytes as fast as the socket accepts them, from one buffer, so that the sender costs almost nothing.
 * @returns seconds until the answer
 * @throws Error if the status is not 2xx
 */
export async function pour(port: number, path: string, length: number): Promise<number> {
  const begun = performance.now();
  const socket = connect({ host: '127.0.0.1', port });
  let head = '';
  socket.on('data', (bytes: Buffer) => {
    if (head.length < 200) head += bytes.toString('latin1');
  });
  const closed = once(socket, 'close');
  closed.catch(() => undefined);
  socket.write(`PUT ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`);
  for (let left = length; left > 0; left -= PIECE.length) {
    if (!socket.write(left < PIECE.length ? PIECE.subarray(0, left) : PIECE)) await once(socket, 'drain');
  }
  await closed;
  if (!/^HTTP\/1\.1 2/.test(head)) throw new Error(`the upload was answered by: ${head.slice(0, 200)}`);
  return (performance.now() - begun) / 1000;
}

/** PUTs an open file. @throws Error if the status is not 200 */
export async function sendFile(port: number, path: string, file: FileHandle): Promise<void> {
  const headers = { 'content-length': (await file.stat()).size };
  const sent = request({ host: '127.0.0.1', port, method: 'PUT', path, headers });
  const answered = once(sent, 'response');
  answered.catch(() => undefined);
  await pipeline(file.createReadStream({ highWaterMark: PIECE.length, autoClose: false }), sent);
  const [answer] = await answered;
  requireOk({ status: answer.statusCode, text: await text(answer) });
}

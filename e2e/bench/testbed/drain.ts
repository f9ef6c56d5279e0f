import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

const READ_BYTES = 1024 ** 2;

export interface Drained {
  readonly bytes: number;
  readonly seconds: number;
}

/**
 * GETs a path and discards the answer as fast as the socket delivers it, so that the reader costs almost nothing.
 * @throws Error if the status is not 200 or fewer than `atLeast` bytes arrived, head and framing included
 */
export async function drain(
  port: number,
  path: string,
  atLeast: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Drained> {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  let bytes = 0;
  let head = '';
  const callback = (count: number): boolean => {
    if (bytes === 0) head = buffer.toString('latin1', 0, Math.min(count, 200));
    bytes += count;
    return true;
  };
  const begun = performance.now();
  const socket = connect({ host: '127.0.0.1', port, onread: { buffer, callback } });
  socket.write(requestText(path, { ...headers, connection: 'close' }));
  await once(socket.resume(), 'close');
  const seconds = (performance.now() - begun) / 1000;
  if (!head.startsWith('HTTP/1.1 200 ') || bytes < atLeast) {
    throw new Error(`${bytes} bytes came where ${atLeast} were expected: ${head}`);
  }
  return { bytes, seconds };
}

/** GETs a path into a file. @throws Error if the status is not 200 */
export async function saveBody(port: number, path: string, file: string): Promise<void> {
  const [answer] = await once(get({ host: '127.0.0.1', port, path, agent: false }), 'response');
  if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
  await pipeline(answer, createWriteStream(file, { highWaterMark: READ_BYTES }));
}

/** GETs a path and never reads the answer. The caller ends the socket. */
export async function openUnread(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.pause().on('error', () => {});
  await once(socket, 'connect');
  socket.write(requestText(path, headers));
  return socket;
}

function requestText(path: string, headers: Readonly<Record<string, string>>): string {
  const fields = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${fields.join('')}\r\n`;
}

import { once } from 'node:events';
import { connect } from 'node:net';
import { workerData } from 'node:worker_threads';

/** Resizes from sockets of terminals, by a thread of its own, which counts the pongs that frame them. */
const { port, paths, resizes, pongs } = workerData as {
  readonly port: number;
  readonly paths: readonly string[];
  readonly resizes: number;
  /** Before the resizes, after them. */
  readonly pongs: Int32Array;
};

const PONG = '"type":"pong"';
const UPGRADE =
  'Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** A short text frame with a mask of zeros, which leaves the payload as it is (RFC 6455 §5.2). */
function frame(message: object): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]);
}

const ping = frame({ type: 'ping', timestamp: 1 });
const sizes = Array.from({ length: resizes }, (_, n) => ({
  cols: 10 + ((resizes - n) % 990),
  rows: 10 + ((resizes - n) % 900),
}));
const storm = Buffer.concat([ping, ...sizes.map((size) => frame({ type: 'resize', ...size })), ping]);

for (const path of paths) {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\n${UPGRADE}`);
  await once(socket, 'data');
  let count = 0;
  let tail = '';
  socket.on('data', (bytes) => {
    const parts = (tail + bytes.toString('latin1')).split(PONG);
    for (let n = 1; n < parts.length; n += 1) Atomics.add(pongs, count++, 1);
    tail = (parts.at(-1) ?? '').slice(1 - PONG.length);
  });
  socket.write(storm);
}

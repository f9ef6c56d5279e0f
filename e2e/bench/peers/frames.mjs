// Accepts every upgrade. /echo: returns the received bytes; /flood?N: sends N binary WebSocket frames of 64 KiB.
import { createServer } from 'node:http';

const [port] = process.argv.slice(2);
const PAYLOAD = 65_536;
const frame = Buffer.alloc(10 + PAYLOAD);
frame[0] = 0x82;
frame[1] = 127;
frame.writeBigUInt64BE(BigInt(PAYLOAD), 2);

const server = createServer((_request, response) => response.end('ok'));
server.on('upgrade', (request, socket) => {
  socket.setNoDelay(true).on('error', () => {});
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  if (request.url.startsWith('/echo')) socket.pipe(socket);
  else flood(socket, Number(new URL(request.url, 'http://x').search.slice(1)));
});
server.listen(Number(port), '127.0.0.1');
process.stdin.once('end', () => process.exit()).resume();

function flood(socket, frames) {
  let left = frames;
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(frame)) return void socket.once('drain', more);
    }
  };
  more();
}

// The plainest WebSocket server of Node before an RFB server on a unix socket: bytes from there are sent in binary
// frames (RFC 6455 §5.2), anything from the viewer is passed on as one byte.
import { createServer } from 'node:http';
import { connect } from 'node:net';

const [port, path] = process.argv.slice(2);

const server = createServer((_request, response) => response.end('ok'));
server.on('upgrade', (_request, socket) => {
  socket.setNoDelay(true).on('error', () => {});
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  const rfb = connect(path, () => socket.on('data', () => rfb.write('x')));
  rfb.on('error', () => socket.destroy());
  rfb.on('data', (bytes) => {
    const head = Buffer.alloc(10);
    head.writeUInt16BE(0x827f);
    head.writeBigUInt64BE(BigInt(bytes.length), 2);
    socket.write(head);
    if (!socket.write(bytes)) {
      rfb.pause();
      socket.once('drain', () => rfb.resume());
    }
  });
  socket.on('close', () => rfb.destroy());
});
server.listen(Number(port), '127.0.0.1');
process.stdin.once('end', () => process.exit()).resume();

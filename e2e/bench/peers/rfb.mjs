// An RFB server that greets on a unix socket and, after any input, sends a given number of bytes.
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';

const [port, path, bytes] = process.argv.slice(2);
const piece = Buffer.alloc(65_536);
createServer((socket) => {
  socket.on('error', () => {});
  socket.write('RFB 003.008\n');
  socket.once('data', () => {
    let left = Number(bytes);
    const more = () => {
      while (left > 0 && !socket.destroyed) {
        left -= piece.length;
        if (!socket.write(piece)) return void socket.once('drain', more);
      }
    };
    more();
  });
}).listen(path);
createHttpServer((_request, response) => response.end('ok')).listen(Number(port), '127.0.0.1');
process.stdin.once('end', () => process.exit()).resume();

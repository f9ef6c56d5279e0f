// A minimal terminal server: node-pty and ws. Each WebSocket opens a terminal that runs the
// program of its query (?argv=["bash","-c","…"]); binary frames are input, output goes out as binary frames.
import { createServer } from 'node:http';
import { spawn } from '@lydell/node-pty';
import { WebSocketServer } from 'ws';

const [port] = process.argv.slice(2);
const env = { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8', SHLVL: '1', PS1: '$ ' };

const server = createServer((_request, response) => response.end('{}'));
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket, request) => {
  const [file, ...args] = JSON.parse(new URL(request.url, 'http://x').searchParams.get('argv'));
  const pty = spawn(file, args, { name: 'xterm-256color', cols: 80, rows: 24, env, encoding: null });
  pty.onData((bytes) => socket.send(bytes, { binary: true }));
  pty.onExit(() => socket.close());
  socket.on('message', (bytes) => pty.write(bytes.toString('latin1')));
  socket.on('close', () => pty.kill('SIGKILL'));
});
server.listen(Number(port), '127.0.0.1');
process.stdin.once('end', () => process.exit()).resume();

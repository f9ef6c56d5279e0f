// Serves a file, or the output of a command, with Node's own streams: GET /file and GET /zeros.
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';

const [port, file, bytes] = process.argv.slice(2);
createServer((request, response) => {
  if (request.url === '/health') return response.end('{}');
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  if (request.url === '/file') return createReadStream(file, { highWaterMark: 1024 ** 2 }).pipe(response);
  const child = spawn('head', ['-c', bytes, '/dev/zero'], { stdio: ['ignore', 'pipe', 'ignore'] });
  response.on('close', () => child.kill());
  return child.stdout.pipe(response);
}).listen(Number(port), '127.0.0.1');
process.stdin.once('end', () => process.exit()).resume();

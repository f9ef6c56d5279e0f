// The plainest HTTP server that Node makes. Plain JavaScript, so that no types have to be erased in its memory.
import { createServer } from 'node:http';

const [port] = process.argv.slice(2);
const body = JSON.stringify({ status: 'healthy', version: '0.0.0', uptime_seconds: 0 });
createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}).listen(Number(port), '127.0.0.1');
process.stdin.once('end', () => process.exit()).resume();

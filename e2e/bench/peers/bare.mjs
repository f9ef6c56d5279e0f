// A minimal HTTP server of Node. Plain JavaScript, so that erasing types costs it no memory.
import { createServer } from 'node:http';

const [port] = process.argv.slice(2);
const body = JSON.stringify({ status: 'healthy', version: '0.0.0', uptime_seconds: 0 });
createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}).listen(Number(port), '127.0.0.1');
process.stdin.once('end', () => process.exit()).resume();

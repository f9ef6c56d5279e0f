// Watches a directory with Node's own fs.watch: GET /watch answers when everything is watched.
import { watch } from 'node:fs';
import { createServer } from 'node:http';

const [port, directory] = process.argv.slice(2);

createServer((request, response) => {
  if (request.url === '/watch') watch(directory, { recursive: true }, () => {});
  response.end('{}');
}).listen(Number(port), '127.0.0.1');
process.stdin.once('end', () => process.exit()).resume();

// The plainest relays of Node to a port of this machine: `tcp` pipes sockets into each other, `http` forwards requests.
import { Agent, createServer as createHttpServer, request } from 'node:http';
import { connect, createServer } from 'node:net';

const [port, kind, target] = process.argv.slice(2);
const upstream = { host: '127.0.0.1', port: Number(target) };
const agent = new Agent({ keepAlive: true });

function pipeSockets(socket) {
  const other = connect({ ...upstream, noDelay: true });
  for (const [from, to] of [
    [socket, other],
    [other, socket],
  ]) {
    from.on('error', () => to.destroy());
    from.pipe(to);
  }
}

function forward(incoming, outgoing) {
  const { method, url: path, headers } = incoming;
  const sent = request({ ...upstream, agent, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  sent.on('error', () => outgoing.destroy());
  incoming.pipe(sent);
}

const server = kind === 'tcp' ? createServer({ noDelay: true }, pipeSockets) : createHttpServer(forward);
server.listen(Number(port), '127.0.0.1');
process.stdin.once('end', () => process.exit()).resume();

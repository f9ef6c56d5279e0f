import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { milliseconds } from '../../core/clock.ts';
import { SandboxError } from '../../core/errors.ts';
import { type Context, UsageError } from '../command-spec.ts';
import { printable } from '../one-line.ts';
import { PortRelay } from '../port-relay.ts';
import { portOf } from './service.ts';

/** Connections at once, as the service has them. */
const MOST_CONNECTIONS = 64;
/** Milliseconds in which the same reason is printed once. */
const SAME_MS = 5000;

/** Listens on 127.0.0.1 until Ctrl-C; each connection is one to the port in the sandbox. */
export async function forward({
  sandbox,
  args: [text = ''],
  print,
  terminal: { stderr },
}: Context): Promise<undefined> {
  const [remote = '', local = remote, ...rest] = text.split(':');
  if (rest.length > 0) throw new UsageError(`not PORT or PORT:LOCAL: ${text}`);
  const [from, to] = [portOf(remote), local === '0' ? 0 : portOf(local)];
  await sandbox.requirePort(from);
  const report = reporter(stderr);
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket) => {
    new PortRelay(socket, { ...sandbox.port(from), report });
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.on('drop', () => report(`${MOST_CONNECTIONS} connections are open: close one of them`));
  const port = await listening(server, to);
  print(`127.0.0.1:${port} is port ${from} of the sandbox\n`, { local: port, remote: from });
  await once(server, 'close');
}

/** @throws SandboxError */
async function listening(server: Server, port: number): Promise<number> {
  await once(server.listen(port, '127.0.0.1'), 'listening').catch((cause: Error) => {
    throw new SandboxError(cause.message, { hint: 'PORT:0 selects a free port of this machine', cause });
  });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

/** A program that connects again and again does not fill the terminal. */
function reporter(stderr: NodeJS.WriteStream): (reason: string) => void {
  let last = '';
  let until = 0;
  return (reason) => {
    if (reason === last && milliseconds() < until) return;
    last = reason;
    until = milliseconds() + SAME_MS;
    stderr.write(`sandbox: ${printable(reason)}\n`);
  };
}

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import process from 'node:process';
import { DaemonProcess } from '../../daemon/src/daemon-process.fixture.ts';
import { startGateway } from '../../gateway/src/gateway.fixture.ts';

/**
 * Runs in a network namespace of its own: connections without a key from addresses of a network, then what others get.
 * Arguments: runtime directory, addresses, connections of each, seed.
 */
const [directory = '', addresses = '', each = '', seed = ''] = process.argv.slice(2);
const KEY = 'the-key-of-this-flood';

let state = Number(seed) >>> 0;
/** A number below `max` (Numerical Recipes, linear congruential generator). */
function random(max: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * max);
}

const HEAD = 'GET /health HTTP/1.1\r\nHost: a\r\n';
/** Connections to the daemon, which takes 8,192, and how many of them are made at once. */
const DAEMON_FLOOD = 8_400;
const BATCH = 400;
/** What a connection of the flood sends. */
const SENT = ['', HEAD, `${HEAD}\r\n`, 'GET /v2/commands HTTP/1.1\r\nHost: a\r\nX-API-Key: wrong\r\n\r\n', 'GET'];

await using daemon = await DaemonProcess.start(directory, { SVC_API_KEY: KEY });
await using gateway = await startGateway(Number(new URL(daemon.base).port), { env: { GATEWAY_HOST: '0.0.0.0' } });
const { port } = gateway;

async function statusFrom(localAddress: string, host: string, path: string, key?: string): Promise<number | string> {
  const request = get({ host, port, path, localAddress, agent: false, headers: key ? { 'x-api-key': key } : {} });
  try {
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode ?? 0;
  } catch (error) {
    return String(error);
  }
}

const own = connect({ host: '10.99.0.1', port, localAddress: '10.99.0.10' });
const askWithKey = async (): Promise<string> => {
  own.write(`GET /v2/commands HTTP/1.1\r\nHost: 10.99.0.1\r\nX-API-Key: ${KEY}\r\n\r\n`);
  return String(await Promise.race([once(own, 'data'), once(own, 'close').then(() => 'closed')])).slice(9, 12);
};
await once(own, 'connect');
await askWithKey();

const sockets: Socket[] = [];
for (let n = 0; n < Number(addresses) * Number(each); n += 1) {
  const localAddress = `10.99.0.${10 + (n % Number(addresses))}`;
  const socket = connect({ host: '10.99.0.1', port, localAddress }).resume();
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  socket.write(SENT[random(SENT.length)] ?? '');
  sockets.push(socket);
}
/** More connections than the daemon takes, from a program of the sandbox to its own port, then health and a call. */
async function floodDaemon(): Promise<object> {
  const daemonPort = Number(new URL(daemon.base).port);
  for (let n = 0; n < DAEMON_FLOOD; n += BATCH) {
    const batch = Array.from({ length: BATCH }, () => connect({ host: '127.0.0.1', port: daemonPort }).resume());
    sockets.push(...batch);
    for (const socket of batch) socket.on('error', () => undefined);
    await Promise.all(batch.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
    for (const socket of batch) socket.write(SENT[random(SENT.length)] ?? '');
  }
  const direct = await fetch(`${daemon.base}/health`);
  return {
    daemonHealth: direct.status,
    healthThrough: await statusFrom('127.0.0.1', '127.0.0.1', '/health'),
    callThrough: await statusFrom('10.99.0.200', '10.99.0.1', '/v2/commands', KEY),
  };
}

const result = {
  health: await statusFrom('127.0.0.1', '127.0.0.1', '/health'),
  other: await statusFrom('10.99.0.200', '10.99.0.1', '/v2/commands', KEY),
  same: await statusFrom('10.99.0.10', '10.99.0.1', '/v2/commands', KEY),
  before: await askWithKey(),
  open: sockets.filter((socket) => !socket.destroyed).length,
  ...(await floodDaemon()),
};
for (const socket of [...sockets, own]) socket.destroy();
process.stdout.write(`${JSON.stringify(result)}\n`);

import { once } from 'node:events';
import { connect } from 'node:net';
import { workerData } from 'node:worker_threads';

/** Pipelined requests for the document of the API, by a thread of its own, which counts what it receives. */
const { port, connections, requests, received } = workerData as {
  readonly port: number;
  readonly connections: number;
  readonly requests: number;
  readonly received: BigUint64Array;
};

const burst = 'GET /v2/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(requests);
for (let n = 0; n < connections; n += 1) {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => Atomics.add(received, 0, BigInt(bytes.length)));
  await once(socket, 'connect');
  socket.write(burst);
}

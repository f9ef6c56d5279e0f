import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { DaemonProcess } from '../../daemon/src/daemon-process.fixture.ts';
import { startGateway } from '../../gateway/src/gateway.fixture.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';

const CONNECTIONS = 16;
const REQUESTS = 900;
const CHECKS = 10;

test.each([
  ['daemon', false],
  ['gateway', true],
] as const)(
  '[connection.fair] 16 connections with 900 pipelined requests for the API document do not hold up the %s',
  async (_name, isPublic) => {
    await using directory = await tempDir();
    await using daemon = await DaemonProcess.start(directory.path);
    const daemonPort = Number(new URL(daemon.base).port);
    await using gateway = await startGateway(daemonPort);
    const port = isPublic ? gateway.port : daemonPort;
    const document = await (await fetch(`http://127.0.0.1:${port}/v2/openapi.json`)).arrayBuffer();
    const received = new BigUint64Array(new SharedArrayBuffer(8));
    const data = { port, connections: CONNECTIONS, requests: REQUESTS, received };
    const flood = new Worker(new URL('./pipelined-flood.fixture.ts', import.meta.url), { workerData: data });
    try {
      await expect.poll(() => Atomics.load(received, 0), { interval: 1 }).toBeGreaterThan(0n);
      for (let n = 0; n < CHECKS; n += 1) expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
      // The checks were answered between the documents, not after them.
      expect(Atomics.load(received, 0)).toBeLessThan(BigInt(document.byteLength * CONNECTIONS * REQUESTS));
    } finally {
      await flood.terminate();
    }
  },
);

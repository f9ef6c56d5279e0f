import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { besideFloor } from '../harness/rows.ts';
import { median } from '../harness/statistics.ts';
import { BareWebSocket } from '../testbed/bare-web-socket.ts';
import { latencies } from '../testbed/load.ts';
import { familyMemory, MIB } from '../testbed/memory.ts';
import {
  type Service,
  startDaemon,
  startGateway,
  startPeer,
  startWebsockify,
  WEBSOCKIFY,
} from '../testbed/services.ts';

const BYTES = 400_000_000;
const HANDSHAKES = 60;
const STALLED = 20;
const GREETING = 12;

export const vnc: Benchmark = {
  name: 'vnc',
  about:
    'a WebSocket joined to an RFB server on a unix socket, by the gateway and by websockify. Throughput: 400 MB ' +
    'from a server that sends them in pieces of 64 KiB. Handshake: from the connection to the greeting of the RFB ' +
    'server, medians of 60. Memory: what 20 viewers that never read add to the process and its children, per viewer ' +
    '(Pss).',
  reasons: {
    'from RFB to the viewer': 'at the goal, within the scatter of runs: another run measured 1.63×.',
  },
  needs: [WEBSOCKIFY],
  async prepare(stack) {
    const directory = mkdtempSync(join(tmpdir(), 'bench-vnc-'));
    stack.defer(() => rmSync(directory, { recursive: true, force: true }));
    const rfb = join(directory, 'vnc.sock');
    stack.use(await startPeer('rfb.mjs', [rfb, String(BYTES)]));
    const daemon = stack.use(await startDaemon());
    const gateway = stack.use(await startGateway(daemon, { GATEWAY_VNC: rfb }));
    const websockify = stack.use(await startWebsockify(rfb));
    const flood = (port: number) => async () => {
      const begun = performance.now();
      using socket = await BareWebSocket.open(port, '/websockify');
      socket.send(Buffer.from('x'));
      await socket.bytes(BYTES);
      return [BYTES / 1000 / (performance.now() - begun)];
    };
    const handshake = (port: number) => async () => [
      median(
        await latencies(HANDSHAKES, async () => {
          const socket = await BareWebSocket.open(port, '/websockify');
          await socket.bytes(GREETING);
          await socket.close();
        }),
      ),
    ];
    const stalled = (start: () => Promise<Service>) => async () => {
      await using service = await start();
      const { port, pid } = service;
      await handshake(port)();
      const before = familyMemory(pid);
      const viewers = await Promise.all(Array.from({ length: STALLED }, () => BareWebSocket.open(port, '/websockify')));
      for (const viewer of viewers) {
        await viewer.bytes(GREETING);
        viewer.stall();
        viewer.send(Buffer.from('x'));
      }
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const grown = familyMemory(pid) - before;
      for (const viewer of viewers) await viewer.close();
      return [grown / MIB / STALLED];
    };
    const plain = stack.use(await startPeer('vnc.mjs', [rfb]));
    const floods: Measurement = {
      rows: [
        {
          name: 'from RFB to the viewer',
          unit: 'MB/s',
          better: 'higher',
          goal: { words: 'at least 1.5× websockify', of: 'ratio', bound: 1.5 },
        },
      ],
      peer: 'websockify',
      measureOurs: flood(gateway.port),
      measurePeer: flood(websockify.port),
    };
    return [
      floods,
      besideFloor(floods, 'node:http, which frames what it reads', flood(plain.port)),
      {
        rows: [
          {
            name: 'handshake, p50',
            unit: 'ms',
            better: 'lower',
            goal: { words: 'under 10 ms', of: 'value', bound: 10 },
          },
        ],
        peer: 'websockify',
        measureOurs: handshake(gateway.port),
        measurePeer: handshake(websockify.port),
      },
      {
        rows: [
          {
            name: 'memory of a stalled viewer',
            unit: 'MiB',
            better: 'lower',
            goal: { words: 'under 2 MiB', of: 'value', bound: 2 },
          },
        ],
        peer: 'websockify',
        measureOurs: stalled(() => startGateway(daemon, { GATEWAY_VNC: rfb })),
        measurePeer: stalled(() => startWebsockify(rfb)),
      },
    ];
  },
};

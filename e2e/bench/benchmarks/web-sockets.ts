import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { besideFloor, lower } from '../harness/rows.ts';
import { median } from '../harness/statistics.ts';
import { BareWebSocket } from '../testbed/bare-web-socket.ts';
import { latencies } from '../testbed/load.ts';
import { nginxBeforeUpgrades } from '../testbed/nginx-config.ts';
import { startDaemon, startGateway, startNginx, startPeer } from '../testbed/services.ts';
import { NGINX } from '../testbed/wrk.ts';

const CALLS = 3000;
const MESSAGE = Buffer.alloc(64, 'x');
/** Bytes of a message with the header and mask of a client's frame. */
const ECHO_BYTES = MESSAGE.length + 6;
const FRAMES = 6000;
const FRAME_BYTES = 65_536 + 10;

export const webSockets: Benchmark = {
  name: 'websockets',
  about:
    'a WebSocket to a small Node server through the gateway, as the preview of a port, and through nginx (one ' +
    'worker, its own buffers or buffers of 64 KiB). Echo: medians of 3,000 messages of 64 bytes, one at a time. ' +
    'Throughput: 6,000 frames of 64 KiB from the server to a client that counts bytes and decodes nothing.',
  reasons: {
    'echo of 64 bytes, p50':
      "a read and a write of Node cost more than nginx's, as two sockets of Node show that are piped into each other.",
  },
  needs: [NGINX],
  async prepare(stack) {
    const peer = stack.use(await startPeer('frames.mjs'));
    const daemon = stack.use(await startDaemon());
    const gateway = stack.use(await startGateway(daemon));
    const nginx = stack.use(await startNginx(nginxBeforeUpgrades(peer.port)));
    const wideNginx = stack.use(await startNginx(nginxBeforeUpgrades(peer.port, '64k')));
    const echo = async (port: number, path: string) => {
      const socket = stack.use(await BareWebSocket.open(port, path));
      return async () => [
        median(
          await latencies(CALLS, async () => {
            socket.send(MESSAGE);
            await socket.bytes(ECHO_BYTES);
          }),
        ),
      ];
    };
    const flood = (port: number, path: string) => async () => {
      const begun = performance.now();
      using socket = await BareWebSocket.open(port, `${path}?${FRAMES}`);
      await socket.bytes(FRAMES * FRAME_BYTES);
      return [(FRAMES * FRAME_BYTES) / 1000 / (performance.now() - begun)];
    };
    const below = `/proxy/${peer.port}`;
    const pipe = stack.use(await startPeer('relay.mjs', ['tcp', String(peer.port)]));
    const echoes: Measurement = {
      rows: [lower('echo of 64 bytes, p50', 'ms', { words: 'at most 1.1× nginx', of: 'ratio', bound: 1.1 })],
      peer: 'nginx',
      measureOurs: await echo(gateway.port, `${below}/echo`),
      measurePeer: await echo(nginx.port, '/echo'),
    };
    return [
      echoes,
      besideFloor(echoes, 'two sockets of Node, piped into each other', await echo(pipe.port, '/echo')),
      {
        rows: [
          {
            name: 'frames of 64 KiB',
            unit: 'MB/s',
            better: 'higher',
            goal: { words: 'at least 1.5× nginx', of: 'ratio', bound: 1.5 },
          },
        ],
        peer: 'nginx',
        measureOurs: flood(gateway.port, `${below}/flood`),
        measurePeer: flood(nginx.port, '/flood'),
      },
      {
        rows: [{ name: 'frames of 64 KiB, against wide buffers', unit: 'MB/s', better: 'higher' }],
        peer: 'nginx, 64 KiB buffers',
        measureOurs: flood(gateway.port, `${below}/flood`),
        measurePeer: flood(wideNginx.port, '/flood'),
      },
    ];
  },
};

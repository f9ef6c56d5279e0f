import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { debianProgram } from '../../../scripts/test-all/need.ts';
import type { Benchmark } from '../harness/benchmark.ts';
import { RfbClient, type RfbTransport } from '../testbed/rfb-client.ts';
import { startDaemon, startDisplay, startGateway } from '../testbed/services.ts';

const UPDATES = 200;
const XTIGERVNC = debianProgram('Xtigervnc', 'the display that is looked at', 'tigervnc-standalone-server');

const XTERM = debianProgram('xterm', 'it draws on that display');

export const vncUpdates: Benchmark = {
  name: 'vnc-updates',
  about:
    'a terminal on a display of Xtigervnc scrolls as fast as it can; a viewer requests the changes in raw encoding ' +
    '200 times: through the gateway by WebSocket, and on the unix socket of the RFB server itself.',
  needs: [XTIGERVNC, XTERM],
  async prepare(stack) {
    const directory = mkdtempSync(join(tmpdir(), 'bench-updates-'));
    stack.defer(() => rmSync(directory, { recursive: true, force: true }));
    const rfb = join(directory, 'vnc.sock');
    stack.use(await startDisplay(rfb, ['xterm', '-e', 'sh', '-c', 'while :; do date +%N; done']));
    const gateway = stack.use(await startGateway(stack.use(await startDaemon()), { GATEWAY_VNC: rfb }));
    const rate = (open: () => Promise<RfbTransport>) => async () => {
      const client = await RfbClient.greet(await open());
      const begun = performance.now();
      for (let done = 0; done < UPDATES; done += 1) await client.update();
      const seconds = (performance.now() - begun) / 1000;
      client.close();
      return [UPDATES / seconds];
    };
    return [
      {
        rows: [
          {
            name: 'updates a second',
            unit: '/s',
            better: 'higher',
            goal: { words: 'at least 0.9× direct', of: 'ratio', bound: 0.9 },
          },
        ],
        peer: 'RFB directly',
        measureOurs: rate(() => throughWebSocket(gateway.port)),
        measurePeer: rate(() => directly(rfb)),
      },
    ];
  },
};

async function throughWebSocket(port: number): Promise<RfbTransport> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/websockify`, { perMessageDeflate: false });
  const early: Buffer[] = [];
  let listener = (bytes: Buffer): void => void early.push(bytes);
  socket.on('message', (bytes: Buffer) => listener(bytes));
  await once(socket, 'open');
  return {
    send: (bytes) => socket.send(bytes),
    onBytes(heard) {
      listener = heard;
      early.forEach(heard);
    },
    close: () => socket.terminate(),
  };
}

async function directly(path: string): Promise<RfbTransport> {
  const socket = connect(path);
  await once(socket, 'connect');
  return {
    send: (bytes) => void socket.write(bytes),
    onBytes: (heard) => void socket.on('data', heard),
    close: () => void socket.destroy(),
  };
}

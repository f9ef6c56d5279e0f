import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { ByteLogWriter } from '../../../core/output/byte-log-writer.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { WebSocketPort } from '../../../http/streams/websocket-port.ts';
import { TestViewer } from '../pty.fixture.ts';
import { History } from '../session/history.ts';
import { OutputRelay } from './output-relay.ts';
import { ViewerFlow } from './viewer-flow.ts';

test.each(['json', 'binary'] as const)(
  '[pty.ws-dropped] output that the disk refused is left out (%s)',
  async (protocol) => {
    const { stdout } = new OutputLog('/nowhere', 'a', 'terminal');
    const writer = new ByteLogWriter(stdout, 1024);
    const history = new History(1024);
    history.append(stdout);
    writer.write(Buffer.from('refused'));
    const handshake = new WebSocketServer({ noServer: true });
    await using server = createServer();
    const ran = Promise.withResolvers<void>();
    server.on('upgrade', (request, socket, head) =>
      handshake.handleUpgrade(request, socket, head, (connection) => {
        const port = new WebSocketPort(connection, socket as Socket);
        new OutputRelay(history, port, new ViewerFlow(port), protocol).run(0).then(ran.resolve, ran.reject);
      }),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await using viewer = new TestViewer(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await viewer.message('relay_resumed')).toEqual({ type: 'relay_resumed', offset: 7 });
    writer.close();
    history.close();
    await ran.promise;
    expect([viewer.text, viewer.length]).toEqual(['', 0]);
  },
);

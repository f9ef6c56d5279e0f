import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

const BODY = Buffer.alloc(40_000_000, 'x');

test('a response before the end of the request body reaches the client every time', async () => {
  await using daemon = await TestApp.start();
  const base = await daemon.listen();
  const refused: readonly (readonly [string, string, number])[] = [
    ['PUT', '/v2/fs/upload?path=/tmp', 400],
    ['PUT', `/v2/fs/tree?path=${daemon.directory}/tree`, 400],
    ['POST', '/v2/commands/unknown/stdin', 404],
    ['POST', '/v2/commands', 413],
  ];
  for (let round = 0; round < 5; round += 1) {
    for (const [method, path, status] of refused) {
      const headers = { 'content-type': 'application/octet-stream' };
      const answer = await fetch(base + path, { method, headers, body: BODY });
      expect([path, answer.status, answer.headers.get('connection')]).toEqual([path, status, 'close']);
      expect(await answer.json()).toMatchObject({ success: false });
    }
  }
});

test('a connection stays open if the request body was read', async () => {
  await using daemon = await TestApp.start();
  const { port } = new URL(await daemon.listen());
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const request = (more: string): string => `POST /v2/commands/none/kill HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`;
  socket.write(`${request('Content-Length: 2\r\n')}{}${request('')}${request('Connection: close\r\n')}`);
  const answers = await text(socket);
  expect(answers.match(/HTTP\/1\.1 404/g)).toHaveLength(3);
});

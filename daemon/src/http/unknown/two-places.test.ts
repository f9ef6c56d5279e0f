import { request } from 'node:http';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

test.each([
  ['/v2/commands', { command: 'true', session: 'a', session_id: 'b' }, 'body.session: differs from session_id'],
  ['/v2/commands/sessions', { id: 'a', session_id: 'b' }, 'body.id: differs from session_id'],
  ['/v2/pty/sessions', { id: 'a', session_id: 'b' }, 'body.id: differs from session_id'],
  ['/v2/code/sessions', { id: 'a', session_id: 'b', language: 'python' }, 'body.id: differs from session_id'],
  ['/v2/browser/wait', { for: 'text', text: 'a', value: 'b' }, 'body.text: differs from value'],
])('[manners.two-places] POST %s %j is 422', async (url, body, said) => {
  await using daemon = await TestApp.start();
  const answer = await daemon.post(url, body);
  expect([answer.statusCode, answer.json().message, answer.json().hint]).toEqual([422, said, 'send the value once']);
  expect(answer.json().errors).toEqual([
    { location: said.split(':')[0]?.split('.'), message: said.split(': ')[1], type: 'custom' },
  ]);
});

test('[manners.two-places] the header If-Match and the field if_match', async () => {
  await using daemon = await TestApp.start();
  const path = `${daemon.directory}/f`;
  const write = (if_match: string, header: string) =>
    daemon.inject({
      method: 'POST',
      url: '/v2/fs/write',
      payload: { path, content: 'x', if_match },
      headers: { 'if-match': header },
    });
  const differing = await write('a', '"b"');
  expect([differing.statusCode, differing.json().message]).toEqual([
    422,
    'body.if_match: differs from the header If-Match',
  ]);
  expect((await write('a', '"a"')).statusCode).toBe(412);
});

test('[manners.two-places] a WebSocket with two ids is refused before its upgrade', async () => {
  await using daemon = await TestApp.start();
  const base = await daemon.listen();
  const url = `${base}/v2/pty/ws?session_id=a&id=b`;
  const headers = { connection: 'upgrade', upgrade: 'websocket' };
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const call = request(url, {
      headers: { ...headers, 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
    });
    call.once('response', (answer) => resolve(answer.resume().statusCode));
    call.once('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(new Error('it was upgraded'));
    });
    call.once('error', reject).end();
  });
  expect(status).toBe(422);
});

test('[manners.two-places] two names with one value are served', async () => {
  await using daemon = await TestApp.start();
  const answer = await daemon.post('/v2/commands/sessions', { id: 'a', session_id: 'a' });
  expect([answer.statusCode, answer.json().data.session_id]).toEqual([200, 'a']);
});

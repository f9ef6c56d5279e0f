import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

const DOCUMENTS = [
  '/openapi.json',
  '/v2/openapi.json',
  '/v1/openapi.json',
  '/docs',
  '/v1/docs',
  '/v2/guide',
  '/llms.txt',
];

test('[documents.memory] a client that has the document gets 304 without it', async () => {
  await using daemon = await TestApp.start();
  for (const url of DOCUMENTS) {
    const whole = await daemon.inject(url);
    const { etag = '' } = whole.headers;
    expect([url, whole.statusCode, etag]).toEqual([url, 200, expect.stringMatching(/^"[\w-]{22}"$/)]);
    const known = await daemon.inject({ url, headers: { 'if-none-match': `"other", ${etag}` } });
    expect([url, known.statusCode, known.body, known.headers.etag]).toEqual([url, 304, '', etag]);
    const changed = await daemon.inject({ url, headers: { 'if-none-match': '"other"' } });
    expect([url, changed.statusCode, changed.body]).toEqual([url, 200, whole.body]);
  }
});

test('[documents.memory] hundreds of pipelined requests of one connection are all answered', async () => {
  await using daemon = await TestApp.start();
  const { port } = new URL(await daemon.listen());
  const client = connect(Number(port), '127.0.0.1').setEncoding('latin1');
  const ask = (more = ''): string => `GET /v2/openapi.json HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
  client.write(ask().repeat(199) + ask('Connection: close\r\n'));
  let answers = 0;
  client.on('data', (piece: string) => {
    answers += piece.split('HTTP/1.1 200 OK').length - 1;
  });
  await once(client, 'close');
  // A status line may be split between two pieces.
  expect(answers).toBeGreaterThan(190);
});

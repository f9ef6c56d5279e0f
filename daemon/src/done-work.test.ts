import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestApp } from './app.fixture.ts';

const MIB = 1024 ** 2;
/** Sizes of answers that nobody reads: 256 MiB but for half a MiB. */
const UNREAD = [...Array.from({ length: 15 }, () => 16 * MIB), 15.5 * MIB];
const HINT = 'answers that clients have not read take too much memory';

/** 900,000 characters in an answer, in 150,000 bytes: the memory for those is there. */
const ZEROS = 'head -c 150000 /dev/zero';
const cell = { language: 'javascript', code: "console.log('x'.repeat(600_000)); 6 * 7" };
const tool = (id: number, name: string, args: object) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: args },
});

/** Calls that do something, and what shows that they have done it once. */
const CALLS: readonly (readonly [path: string, body: unknown, answer: object])[] = [
  [
    '/v2/commands',
    { command: ZEROS },
    {
      success: true,
      data: { status: 'completed', exit_code: 0, truncated: true, output: expect.stringContaining('left out') },
    },
  ],
  [
    '/v1/bash/exec',
    { command: ZEROS, max_output_length: 0 },
    {
      success: true,
      data: { status: 'completed', exit_code: 0, offset: 150_000, stdout: expect.stringContaining('left out') },
    },
  ],
  [
    '/v2/pty/sessions/a/exec',
    { command: 'head -c 300000 /dev/zero | tr "\\0" x' },
    { success: true, data: { status: 'completed', exit_code: 0, output: expect.stringContaining('left out') } },
  ],
  [
    '/v2/pty/sessions/a/exec',
    { command: 'head -c 900000 /dev/zero | tr "\\0" x' },
    { success: true, data: { status: 'completed', exit_code: 0, output: expect.stringContaining(HINT) } },
  ],
  [
    '/v1/shell/exec',
    { id: 'a', command: 'head -c 900000 /dev/zero | tr "\\0" x', truncate: false },
    { success: true, data: { status: 'completed', exit_code: 0, output: expect.stringContaining(HINT) } },
  ],
  [
    '/v2/code/execute',
    cell,
    {
      success: true,
      data: {
        status: 'ok',
        stdout: expect.stringMatching(/^x{2048}\n\[\.{3} \d+ characters/),
        warnings: [expect.stringContaining(HINT)],
      },
    },
  ],
  ['/v1/code/execute', cell, { success: true, data: { status: 'ok', warnings: [expect.stringContaining(HINT)] } }],
  [
    '/v1/nodejs/execute',
    { code: cell.code },
    { success: true, data: { status: 'ok', warnings: [expect.stringContaining(HINT)] } },
  ],
  [
    '/mcp',
    tool(7, 'sandbox_execute_code', cell),
    {
      id: 7,
      result: {
        isError: true,
        content: [
          { type: 'text', text: expect.stringContaining(`has run, and its result is left out, because ${HINT}`) },
        ],
      },
    },
  ],
  [
    '/mcp',
    [tool(7, 'sandbox_execute_code', cell), tool(8, 'sandbox_execute_code', { code: '1', language: 'javascript' })],
    [
      { id: 7, result: { isError: true } },
      { id: 8, result: { isError: true } },
    ],
  ],
];

test('[answers.done] a call that has run is answered 200 with less output while there is no memory for all of it', async () => {
  await using daemon = await TestApp.start();
  const { port } = new URL(await daemon.listen());
  const sockets: Socket[] = [];
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const session = { id: 'a', command: 'bash', args: ['--norc'], env: { PS1: '$ ' } };
  expect(await post('/v2/pty/sessions', session)).toMatchObject({ status: 200 });
  for (const [n, bytes] of UNREAD.entries()) {
    const path = join(daemon.directory, `text-${n}`);
    writeFileSync(path, Buffer.alloc(bytes, 'x'));
    const socket = connect({ port: Number(port), host: '127.0.0.1' }).pause();
    socket.write(`GET /v2/fs/read?path=${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    await once(socket, 'readable');
    sockets.push(socket);
  }
  for (const [path, body, answer] of CALLS) {
    expect.soft([path, await post(path, body)]).toMatchObject([path, { status: 200, body: answer }]);
  }
  for (const socket of sockets) socket.destroy();
});

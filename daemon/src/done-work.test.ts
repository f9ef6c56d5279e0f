import { expect, test } from 'vitest';
import { TestApp } from './app.fixture.ts';
import { AnswerBudget } from './core/answers/answer-budget.ts';

/** Bytes of all answers. */
const MEMORY = 512 * 1024;
const HINT = 'answers that clients have not read take too much memory';

/** 900,000 characters in an answer, in 150,000 bytes: the memory for those is there. */
const ZEROS = 'head -c 150000 /dev/zero';
const cell = { language: 'javascript', code: "console.log('x'.repeat(600_000)); 6 * 7" };
const tool = (id: number, name: string, args: object) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: args },
});

/** Calls that do something, and what shows that they have done it once. */
const CALLS: readonly (readonly [path: string, body: object, answer: object])[] = [
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
  await using daemon = await TestApp.start({}, undefined, undefined, undefined, new AnswerBudget(MEMORY));
  const headers = { accept: 'application/json' };
  const session = { id: 'a', command: 'bash', args: ['--norc'], env: { PS1: '$ ' } };
  expect((await daemon.post('/v2/pty/sessions', session)).statusCode).toBe(200);
  for (const [path, body, answer] of CALLS) {
    const { statusCode, body: text } = await daemon.post(path, body, headers);
    expect.soft([path, statusCode, JSON.parse(text)]).toMatchObject([path, 200, answer]);
  }
});

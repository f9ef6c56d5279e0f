import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { TestApp } from '../app.fixture.ts';
import { started, TestViewer } from '../capabilities/pty/pty.fixture.ts';
import { test } from '../mcp/mcp.fixture.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

const NOT_UNICODE = 'has half of a surrogate pair, which is not Unicode text';

test.each([
  ['/v2/fs/write', 'path'],
  ['/v1/file/write', 'file'],
])('[exact.utf8] a body of %s that is not UTF-8 is 400 and writes nothing', async (url, field) => {
  await using daemon = await TestApp.start();
  const path = join(daemon.directory, 'latin1.txt');
  const payload = latin1(`{"${field}":"${path}","content":"caf\xe9 \xff"}`);
  const answer = await daemon.inject({ method: 'POST', url, payload, headers: JSON_TYPE });
  expect([answer.statusCode, answer.json().message]).toEqual([400, 'the body is not UTF-8']);
  expect(answer.json().hint).toContain('base64');
  expect(existsSync(path)).toBe(false);
});

test('[exact.utf8] a message of MCP that is not UTF-8 is 400', async ({ mcp: { daemon } }) => {
  const payload = latin1('{"jsonrpc":"2.0","id":1,"method":"caf\xe9"}');
  const answer = await daemon.inject({ method: 'POST', url: '/mcp', payload, headers: JSON_TYPE });
  expect([answer.statusCode, answer.json().message]).toEqual([400, 'the body is not UTF-8']);
});

test('[exact.surrogates] half of a pair in a call or a batch of MCP is refused before a tool runs', async ({
  mcp,
  dir,
}) => {
  const path = join(dir, 'file.txt');
  const call = (text: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sandbox_file_operations","arguments":${text}}}`;
  const given = call(`{"action":"write","path":"${path}","content":"\\ud800"}`);
  for (const body of [given, `[${given}]`]) {
    const { status, json } = await mcp.post(body);
    expect([status, json.error.code]).toEqual([400, -32600]);
    expect(json.error.message).toContain(NOT_UNICODE);
  }
  expect(existsSync(path)).toBe(false);
});

test('[exact.surrogates] half of a pair in a message of a WebSocket is an error message, and no input', async () => {
  await using service = await started();
  await using viewer = new TestViewer(`${service.ws}/v2/pty/ws?protocol=json`);
  await viewer.message('ready');
  viewer.socket.send('{"type":"input","data":"\\udc00"}');
  const { data } = await viewer.message('error');
  expect(data).toBe(`the message ${NOT_UNICODE}`);
});

test('[exact.surrogates] halves of pairs are 400 wherever they stand', async ({ mcp: { daemon }, dir }) => {
  const path = join(dir, 'file.txt');
  for (const payload of [
    `{"path":"${path}","content":"a\\ud800b"}`,
    `{"path":"${path}","content":"\\uDC00\\uD800"}`,
    `{"path":"${path}","content":"","more":[{"\\udfff":1}]}`,
    `{"path":"${path}\\ud83d","content":""}`,
  ]) {
    const answer = await daemon.inject({ method: 'POST', url: '/v2/fs/write', payload, headers: JSON_TYPE });
    expect([payload, answer.statusCode, answer.json().message]).toEqual([payload, 400, `the body ${NOT_UNICODE}`]);
  }
  expect(readdirSync(dir)).toEqual([]);
});

test('whole pairs, escaped backslashes and U+FFFD are written as they are', async ({ mcp: { daemon }, dir }) => {
  const path = join(dir, 'file.txt');
  const payload = `{"path":"${path}","content":"\\ud83d\\ude00 \\\\ud800 \ufffd"}`;
  const answer = await daemon.inject({ method: 'POST', url: '/v2/fs/write', payload, headers: JSON_TYPE });
  expect(answer.statusCode).toBe(200);
  expect(readFileSync(path, 'utf8')).toBe('\u{1f600} \\ud800 \ufffd');
});

test('[exact.byte-order-mark] one before the value is ignored', async ({ mcp }) => {
  const headers = JSON_TYPE;
  const payload = '\ufeff{"command":"echo hi"}';
  const answer = await mcp.daemon.inject({ method: 'POST', url: '/v2/commands', payload, headers });
  expect(answer.json().data.stdout).toBe('hi\n');
  expect((await mcp.post('\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}')).json).toMatchObject({ result: {} });
});

test('[exact.utf8] a query that is not UTF-8 is 400', async ({ mcp: { daemon } }) => {
  for (const path of ['%2Ftmp%2Fcaf%E9', '/tmp/%ED%A0%80', '/tmp/%ff']) {
    for (const url of [`/v2/fs/read?path=${path}`, `/v1/file/download?path=${path}`]) {
      const answer = await daemon.inject({ url });
      expect([url, answer.statusCode, answer.json().message]).toEqual([url, 400, 'the query is not UTF-8']);
    }
  }
  expect((await daemon.inject({ url: '/v2/fs/read?path=/none/caf%C3%A9' })).statusCode).toBe(404);
});

test.each([
  ['the name of the file', 'name="file"; filename="caf\xe9.txt"\r\n\r\nbytes'],
  [
    'the field note',
    'name="note"\r\n\r\ncaf\xe9\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbytes',
  ],
])('[exact.utf8] %s in a form that is not UTF-8 is 400', async (what, part) => {
  await using daemon = await TestApp.start();
  const payload = latin1(`--b\r\nContent-Disposition: form-data; ${part}\r\n--b--\r\n`);
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const url = `/v2/fs/upload?path=${encodeURIComponent(`${daemon.directory}/`)}`;
  const answer = await daemon.inject({ method: 'POST', url, payload, headers });
  expect([answer.statusCode, answer.json().message]).toEqual([
    400,
    `${what} is not UTF-8, or has the character U+FFFD`,
  ]);
});

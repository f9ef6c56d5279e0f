import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { HostileServer } from '../hostile-server.fixture.ts';
import { Sandbox } from '../index.ts';
import { mcp } from './commands/mcp.ts';
import { inputLines } from './input-lines.ts';

type Answer = HostileServer['answer'];

const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'a', arguments: {} } };
const RESPONSE = { jsonrpc: '2.0', id: 7, result: {} };

/** `sandbox mcp` with streams of the test in place of stdin and stdout. */
class Bridge {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough({ encoding: 'utf8' });
  readonly #ended: Promise<unknown>;

  /** @param answerWithin seconds */
  constructor(server: HostileServer, answerWithin?: number) {
    const terminal = { env: {}, stdin: this.stdin, stdout: this.stdout, stderr: this.stdout };
    const sandbox = Sandbox.at({ url: server.url, apiKey: 'k', retryFor: 0.05, answerWithin });
    // biome-ignore lint/suspicious/noExplicitAny: streams of the test
    this.#ended = mcp({ sandbox, terminal, args: [], options: {}, commands: [], print: () => undefined } as any);
  }

  send(...messages: readonly unknown[]): void {
    for (const message of messages) this.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async next(): Promise<unknown> {
    const [line] = await once(this.stdout, 'data');
    return JSON.parse(String(line));
  }

  /** What was printed until all is answered. */
  async end(): Promise<readonly Record<string, unknown>[]> {
    this.stdin.end();
    const printed = this.stdout.toArray();
    await this.#ended;
    this.stdout.end();
    const lines = (await printed).join('').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

function events(response: ServerResponse, ...messages: readonly unknown[]): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const message of messages) response.write(`event: message\r\ndata: ${JSON.stringify(message)}\r\n\r\n`);
  return response;
}

function error(message: unknown, id: unknown = 7): object {
  return { jsonrpc: '2.0', id, error: { code: -32_000, message } };
}

test.each<[string, Answer, RegExp]>([
  ['never answers', () => undefined, /no connection|may have been carried out/],
  ['answers with another id', (response) => response.end('{"jsonrpc":"2.0","id":8,"result":{}}'), /another request/],
  ['answers what is no message', (response) => response.end('{"jsonrpc":"2.0","id":7}'), /not a message of MCP/],
  ['ends without a response', (response) => events(response, { method: 'a' }).end(), /ends without a response/],
  ['stops in the stream', (response) => void events(response, { method: 'a' }).destroy(), /may have been carried out/],
  ['closes at the request', (response) => response.destroy(), /may have been carried out/],
  ['sends events that are not JSON', (response) => events(response).end('data: {\n\n'), /not JSON/],
  [
    'refuses the key',
    (response) => response.writeHead(401).end('{"message":"no key","hint":"give it"}'),
    /^no key: give it$/,
  ],
])('[cli.mcp-hostile] a service that %s is an error for the client', async (what, answer, message) => {
  await using server = await HostileServer.start();
  server.answer = answer;
  const bridge = new Bridge(server, what === 'never answers' ? 0.3 : undefined);
  bridge.send(CALL, { jsonrpc: '2.0', method: 'notifications/initialized' });
  const answers = (await bridge.end()).filter(({ method }) => method === undefined);
  expect(answers).toEqual([error(expect.stringMatching(message))]);
});

test('[cli.mcp-hostile] of two responses the first is passed on, and errors of JSON-RPC as they are', async () => {
  await using server = await HostileServer.start();
  server.answer = (response) => void events(response, RESPONSE, { ...RESPONSE, result: { again: true } });
  const bridge = new Bridge(server);
  bridge.send(CALL);
  expect(await bridge.next()).toEqual(RESPONSE);
  const failed = { code: -32_004, message: 'no', data: { supported: ['a'] } };
  server.answer = (response) => response.writeHead(400).end(JSON.stringify({ jsonrpc: '2.0', id: 7, error: failed }));
  bridge.send(CALL);
  expect(await bridge.end()).toEqual([{ jsonrpc: '2.0', id: 7, error: failed }]);
});

test('[cli.mcp-hostile] lines that are no messages, too long or too many have their errors', async () => {
  await using server = await HostileServer.start();
  const waiting: ServerResponse[] = [];
  server.answer = (response) => void waiting.push(events(response, { jsonrpc: '2.0', method: 'begun' }));
  const bridge = new Bridge(server);
  bridge.stdin.write('no JSON\n\n');
  expect(await bridge.next()).toMatchObject({ id: null, error: { code: -32_700 } });
  bridge.send(...Array.from({ length: 65 }, (_, id) => ({ ...CALL, id })));
  expect(await bridge.next()).toEqual(error(expect.stringContaining('64 requests wait'), 64));
  await expect.poll(() => waiting.length).toBe(64);
  for (const [id, response] of waiting.entries()) response.end(`data: ${JSON.stringify({ ...RESPONSE, id })}\n\n`);
  const ids = (await bridge.end()).filter(({ method }) => method === undefined).map(({ id }) => id);
  expect(ids.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 64 }, (_, id) => id));
  const chunks = Readable.from(['ab\nabc', 'd\n\na'].map((text) => Buffer.from(text)));
  const lines: unknown[] = [];
  for await (const line of inputLines(chunks, 3)) lines.push(line);
  expect(lines).toEqual(['ab', expect.any(Error), '', 'a']);
});

test('[cli.mcp] calls have a heartbeat, cancellations a session, messages the headers of their revision', async () => {
  await using server = await HostileServer.start();
  const bridge = new Bridge(server);
  const seen: { readonly headers: NodeJS.Dict<string | string[]>; readonly body: Record<string, unknown> }[] = [];
  let stream: ServerResponse | undefined;
  server.answer = (response, request) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const body = JSON.parse(text);
      seen.push({ headers: request.headers, body });
      if (body.method === 'initialize') {
        response.end(JSON.stringify({ ...RESPONSE, id: body.id, result: { protocolVersion: '2025-06-18' } }));
      } else if (body.method === 'tools/call') {
        stream = events(response, progress(body.params._meta.progressToken), progress('client'));
      } else response.writeHead(202).end();
    });
  };
  bridge.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
  await bridge.next();
  bridge.send(CALL);
  // Progress for the token of the bridge is not passed on.
  expect(await bridge.next()).toEqual(progress('client'));
  bridge.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
  await once(stream as ServerResponse, 'close');
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  bridge.send({ jsonrpc: '2.0', method: 'notifications/a', params: { name: 'ä', _meta: meta } });
  expect(await bridge.end()).toEqual([]);
  const headers = seen.map((one) => [one.headers['mcp-protocol-version'], one.headers['mcp-name']]);
  expect(headers).toEqual([
    [undefined, undefined],
    ['2025-06-18', undefined],
    ['2025-06-18', undefined],
    ['2026-07-28', '=?base64?w6Q=?='],
  ]);
  expect(new Set(seen.map((one) => one.headers['mcp-session-id'])).size).toBe(1);
});

function progress(progressToken: string): object {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } };
}

import { expect, test } from 'vitest';
import type { Message, Request } from './json-rpc.ts';
import { type McpServer, SharedSession, type Transport } from './shared-session.ts';

type Answer = (message: Message) => void;

/** A server that leaves its answers to the test. */
class ToyServer implements McpServer {
  readonly received: Message[] = [];
  answer: Answer = () => {};
  refuses = false;

  async connect(transport: Transport): Promise<void> {
    transport.onmessage = (message) => {
      if (this.refuses) throw new Error('refused');
      this.received.push(message);
    };
    this.answer = (message) => void transport.send(message);
    await transport.start();
  }

  async close(): Promise<void> {}

  result(index: number, result: unknown): void {
    const id = this.received[index]?.id;
    this.answer({ jsonrpc: '2.0', ...(id !== undefined && { id }), result });
  }
}

const call = (id: string | number): Request => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'x' } });

async function opened(callMs = 60_000): Promise<{ server: ToyServer; session: SharedSession; stuck: () => number }> {
  const server = new ToyServer();
  let stuck = 0;
  const onStuck = (): void => {
    stuck += 1;
  };
  const session = await SharedSession.open(server, { callMs, onStuck });
  return { server, session, stuck: () => stuck };
}

test('[mcp-browser.stateless] clients with the same id get their own answers', async () => {
  const { server, session } = await opened();
  const list = (): Promise<object> => session.ask({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const both = Promise.all([list(), list()]);
  server.result(1, 'second');
  server.result(0, 'first');
  expect(await both).toMatchObject([
    { id: 1, result: 'first' },
    { id: 1, result: 'second' },
  ]);
});

test('[mcp-browser.in-turn] calls run one after another, and other requests do not wait for them', async () => {
  const { server, session } = await opened();
  const [first, second] = [session.ask(call('a')), session.ask(call('b'))];
  const listed = session.ask({ jsonrpc: '2.0', id: 'c', method: 'tools/list' });
  await expect.poll(() => server.received.map(({ method }) => method)).toEqual(['tools/list', 'tools/call']);
  server.result(0, 'listed');
  server.result(1, 'of a');
  expect([await listed, await first]).toMatchObject([{ result: 'listed' }, { id: 'a', result: 'of a' }]);
  await expect.poll(() => server.received.length).toBe(3);
  server.result(2, 'of b');
  expect(await second).toMatchObject({ id: 'b', result: 'of b' });
});

test('[mcp-browser.hanging-call] a call that hangs is answered in its time, and the server is told to end', async () => {
  const { server, session, stuck } = await opened(50);
  expect(await session.ask(call('a'))).toMatchObject({
    id: 'a',
    error: { message: expect.stringContaining('in time') },
  });
  expect(stuck()).toBe(1);
  // A late answer is dropped.
  server.result(0, 'late');
});

test('[mcp-browser.in-turn] a call that the server throws at takes no later one with it', async () => {
  const { server, session } = await opened();
  server.refuses = true;
  await expect(session.ask(call('a'))).rejects.toThrow('refused');
  await expect(session.ask(call('b'))).rejects.toThrow('refused');
  server.refuses = false;
  const later = session.ask(call('c'));
  await expect.poll(() => server.received.length).toBe(1);
  server.result(0, 'of c');
  expect(await later).toMatchObject({ id: 'c', result: 'of c' });
});

test('at most 64 calls wait', async () => {
  const { server, session } = await opened();
  const waiting = Array.from({ length: 64 }, (_, id) => session.ask(call(id)));
  expect(await session.ask(call('too many'))).toMatchObject({
    error: { message: expect.stringContaining('repeat later') },
  });
  for (let index = 0; index < 64; index += 1) {
    await expect.poll(() => server.received.length).toBe(index + 1);
    server.result(index, index);
  }
  expect(await Promise.all(waiting)).toHaveLength(64);
});

test('[mcp-browser.stateless] the server sees no capability of a client, and clients see none of a session', async () => {
  const { server, session } = await opened();
  const params = { protocolVersion: '2025-06-18', capabilities: { roots: {} } };
  const answer = session.ask({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  expect(server.received[0]?.params).toEqual({ ...params, capabilities: {} });
  server.result(0, { capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'api', version: '1' } });
  expect(await answer).toMatchObject({
    result: { capabilities: { tools: {} }, serverInfo: { name: 'browser', version: '1' } },
  });
  // Neither has a receiver: a notification, and a request of the server.
  server.answer({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  server.answer({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
});

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CallsInFlight } from './calls-in-flight.ts';
import { McpCaller, test } from './mcp.fixture.ts';
import { OtherServer } from './upstream/upstream.fixture.ts';

const EVENTS = { accept: 'application/json, text/event-stream' };

/** A command that says when it has begun, and ends when it is told to. */
class Held {
  readonly begun: string;
  readonly go: string;

  constructor(dir: string, name: string) {
    this.begun = join(dir, `${name}-begun`);
    this.go = join(dir, `${name}-go`);
  }

  call(id: string | number, meta = {}): object {
    const cmd = `mkfifo ${this.go}; touch ${this.begun}; read < ${this.go}; echo over`;
    const params = { name: 'sandbox_execute_bash', arguments: { cmd, timeout: 600 }, ...meta };
    return { jsonrpc: '2.0', id, method: 'tools/call', params };
  }

  async hasBegun(): Promise<void> {
    await expect.poll(() => existsSync(this.begun)).toBe(true);
  }

  async end(): Promise<void> {
    await writeFile(this.go, 'x\n');
  }
}

function cancel(mcp: McpCaller, requestId: unknown, headers = {}): ReturnType<McpCaller['post']> {
  return mcp.post(
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'over' } },
    headers,
  );
}

async function newestStatus(mcp: McpCaller): Promise<string> {
  return (await mcp.daemon.inject('/v2/commands')).json().data.commands[0].status;
}

describe('notifications/cancelled', () => {
  test('[mcp.cancelled] ends the call and the command that it began', async ({ mcp, dir }) => {
    for (const id of ['one', 1]) {
      const held = new Held(dir, String(id));
      const called = mcp.post(held.call(id));
      await held.hasBegun();
      expect(await cancel(mcp, id)).toMatchObject({ status: 202, text: '' });
      expect((await called).json).toMatchObject({ id, error: { code: -32000, message: 'the request was cancelled' } });
      await expect.poll(() => newestStatus(mcp)).toBe('killed');
    }
  });

  test('[mcp.cancelled] a cancelled call that is streamed gets no response', async ({ mcp, dir }) => {
    const held = new Held(dir, 'streamed');
    const called = mcp.post(held.call('streamed', { _meta: { progressToken: 1 } }), EVENTS);
    await held.hasBegun();
    await cancel(mcp, 'streamed');
    const { status, text } = await called;
    expect([status, text.includes('"id"')]).toEqual([200, false]);
  });

  test('[mcp.cancelled] an id that no call or more than one has cancels none', async ({ mcp, dir }) => {
    const [a, b] = [new Held(dir, 'a'), new Held(dir, 'b')];
    const calls = [a, b].map((held) => mcp.post(held.call('same')));
    await Promise.all([a.hasBegun(), b.hasBegun()]);
    for (const id of ['same', 'other', null, {}, undefined]) expect((await cancel(mcp, id)).status).toBe(202);
    await Promise.all([a.end(), b.end()]);
    const answers = await Promise.all(calls);
    expect(answers.map(({ json }) => json.result.structuredContent.output)).toEqual(['over\n', 'over\n']);
  });

  test('[mcp.cancelled] callers who look different cancel their own calls', async ({ mcp, dir }) => {
    const [a, b] = [new Held(dir, 'a'), new Held(dir, 'b')];
    const [ofA, ofB] = [{ 'mcp-session-id': 'a' }, { 'mcp-session-id': 'b' }];
    const calls = [mcp.post(a.call(5), ofA), mcp.post(b.call(5), ofB)];
    await Promise.all([a.hasBegun(), b.hasBegun()]);
    await cancel(mcp, 5);
    await cancel(mcp, 5, ofB);
    await a.end();
    const answers = await Promise.all(calls);
    expect(answers.map(({ json }) => Object.hasOwn(json, 'result'))).toEqual([true, false]);
  });

  test('[mcp.cancelled] passes to the server whose tool is called, and so does a client that leaves', async ({
    dir,
  }) => {
    await using other = await OtherServer.start(({ method }) =>
      method === 'tools/call' ? new Promise(() => undefined) : undefined,
    );
    await using mcp = await McpCaller.start({
      EXTRA_MCP_SERVERS: JSON.stringify({ o: { url: other.url, prefix: 'o' } }),
      SVC_RUNTIME_DIR: join(dir, 'run'),
    });
    const address = await mcp.daemon.listen();
    const named = (method: string) => other.seen.filter((message) => message.method === method);
    const called = mcp.post({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'o_wait' } });
    await expect.poll(() => named('tools/call').length).toBe(1);
    await cancel(mcp, 3);
    expect((await called).json.error.code).toBe(-32000);
    const leaving = new AbortController();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'o_wait' } });
    const left = fetch(new URL('/mcp', address), { method: 'POST', body, signal: leaving.signal });
    await expect.poll(() => named('tools/call').length).toBe(2);
    leaving.abort();
    await expect(left).rejects.toThrow('aborted');
    const ids = () => named('notifications/cancelled').map(({ params }) => params.requestId);
    await expect.poll(ids).toEqual(named('tools/call').map(({ id }) => id));
  });
});

test('[mcp.cancelled] an id of which a call has just ended cancels none, until the doubt is over', async () => {
  const headers = {};
  const doubtful = new CallsInFlight();
  doubtful.begin(headers, 1)[Symbol.dispose]();
  using again = doubtful.begin(headers, 1);
  expect([doubtful.cancel(headers, 1), again.cancelled.aborted]).toEqual([false, false]);
  const certain = new CallsInFlight(100);
  certain.begin(headers, 1)[Symbol.dispose]();
  using later = certain.begin(headers, 1);
  await expect.poll(() => certain.cancel(headers, 1)).toBe(true);
  expect(later.cancelled.aborted).toBe(true);
});

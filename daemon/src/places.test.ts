import { describe, expect, test } from 'vitest';
import { TestApp } from './app.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads.
type Json = any;

/** 12 more than places. */
const PLACES = 20;
const CALLERS = Array.from({ length: PLACES + 12 }, (_, i) => i);

const bashOfMcp = (args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'sandbox_execute_bash', arguments: args },
});

describe('32 callers share 20 places, and each command runs', () => {
  test.each([
    ['/v1/bash/exec', (command: string) => ({ command }), (answer: Json) => answer.data.stdout],
    ['/v2/commands', (command: string) => ({ command }), (answer: Json) => answer.data.stdout],
    ['/mcp', (cmd: string) => bashOfMcp({ cmd }), (answer: Json) => answer.result.structuredContent.output],
  ])('[place.wait] %s', async (url, bodyOf, outputOf) => {
    await using daemon = await TestApp.start({ commandMaxRunning: PLACES });
    const call = (i: number) => daemon.post(url, bodyOf(`sleep 0.3; echo ${i}`));
    const answers = await Promise.all(CALLERS.map(call));
    expect(answers.map((answer) => outputOf(answer.json()))).toEqual(CALLERS.map((i) => `${i}\n`));
  });

  test('[place.wait] bash cells without a session', async () => {
    await using daemon = await TestApp.start();
    const call = (i: number) => daemon.post('/v2/code/execute', { language: 'bash', code: `sleep 0.1; echo ${i}` });
    const answers = await Promise.all(CALLERS.map(call));
    expect(answers.map((answer) => answer.json().data?.stdout)).toEqual(CALLERS.map((i) => `${i}\n`));
  });
});

describe('places of commands', () => {
  test('[place.wait] a call waits no longer than its timeout, one that does not wait is refused at once', async () => {
    await using daemon = await TestApp.start({ commandMaxRunning: 1 });
    await daemon.run('exec sleep 1000', { mode: 'async' });
    const calls = [
      ['/v2/commands', { command: 'echo', timeout: 0.5 }, 500],
      ['/v1/bash/exec', { command: 'echo', timeout: 0.5 }, 500],
      ['/v2/commands', { command: 'echo', mode: 'async' }, 0],
      ['/v1/bash/exec', { command: 'echo', async_mode: true }, 0],
    ] as const;
    for (const [url, body, ms] of calls) {
      const begun = performance.now();
      expect((await daemon.post(url, body)).statusCode).toBe(429);
      // Timers of Node may fire a millisecond early.
      expect(performance.now() - begun).toBeGreaterThan(ms - 2);
      expect(performance.now() - begun).toBeLessThan(ms + 5000);
    }
  });

  test('[place.order] callers get the only place in order of arrival', async () => {
    await using daemon = await TestApp.start({ commandMaxRunning: 1 });
    const names = ['a', 'b', 'c', 'd'];
    const answers = await Promise.all(names.map((name) => daemon.post('/v1/bash/exec', { command: `: ${name}` })));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(await commandsOf(daemon)).toEqual([': d', ': c', ': b', ': a']);
  });

  test('[place.order] the command of a client that left while it waited does not run', async () => {
    await using daemon = await TestApp.start({ commandMaxRunning: 1 });
    const url = `${await daemon.listen()}/v1/bash/exec`;
    const { command_id } = await daemon.run('exec sleep 1000', { mode: 'async' });
    const request = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const stop = new AbortController();
    const left = fetch(url, { ...request, body: '{"command":": left"}', signal: stop.signal });
    const next = daemon.post('/v1/bash/exec', { command: ': next', timeout: 0.5 });
    expect((await next).statusCode).toBe(429);
    stop.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(() => daemon.connections()).toBe(0);
    const last = daemon.post('/v1/bash/exec', { command: ': last' });
    await daemon.post(`/v2/commands/${command_id}/kill`, { signal: 'KILL' });
    expect((await last).statusCode).toBe(200);
    expect(await commandsOf(daemon)).toEqual([': last', 'exec sleep 1000']);
  });
});

/** Newest first. */
async function commandsOf(daemon: TestApp): Promise<string[]> {
  const { commands } = (await daemon.inject('/v2/commands')).json().data;
  return commands.map(({ command }: { command: string }) => command);
}

// Each starts a kernel in the place of another, and none may wait for longer than 10 s, also on a busy machine.
test('[place.wait] 6 callers of a stateful cell without an id share two kernels', async () => {
  await using daemon = await TestApp.start({ kernelMaxSessions: 2 });
  const callers = CALLERS.slice(0, 6);
  const call = (i: number) =>
    daemon.post('/v1/code/execute', { language: 'python', code: `print(${i})`, stateful: true, timeout: 150 });
  const answers = await Promise.all(callers.map(call));
  expect(answers.map((answer) => answer.json().data?.stdout)).toEqual(callers.map((i) => `${i}\n`));
}, 180_000);

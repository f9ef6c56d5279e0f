import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestSandbox } from '../client.fixture.ts';
import { CommandFailed, RequestFailed } from '../index.ts';

test('[client.run] run streams the output and returns the end of it', async () => {
  await using it = await TestSandbox.start();
  const seen: string[] = [];
  const result = await it.sandbox.run('printf one; read -r; printf two >&2', {
    stdin: '\n',
    onOutput: async (text, stream) => void seen.push(`${stream}: ${text}`),
  });
  expect(result).toMatchObject({ status: 'completed', exitCode: 0, stdout: 'one', stderr: 'two', truncated: false });
  expect(seen).toEqual(['stdout: one', 'stderr: two']);
});

test('[client.run-failed] a command that fails is an exception with its result, or a result on request', async () => {
  await using it = await TestSandbox.start();
  const failed = await it.sandbox.run('echo bad >&2; exit 3').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(CommandFailed);
  expect(failed).toMatchObject({ exitCode: 3, hint: 'bad', result: { stderr: 'bad\n', status: 'completed' } });
  expect(await it.sandbox.run('exit 3', { check: false })).toMatchObject({ exitCode: 3 });
  await expect(it.sandbox.run('no-such-program', { args: [] })).rejects.toMatchObject({ result: { status: 'failed' } });
  await expect(it.sandbox.run('sleep 100', { timeout: 0.1 })).rejects.toMatchObject({
    result: { status: 'timed_out' },
  });
});

test('[client.errors] an error has status, message, hint and field', async () => {
  await using it = await TestSandbox.start();
  const refused = await it.sandbox.run('true', { timeout: -1 }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(RequestFailed);
  expect(refused).toMatchObject({ status: 422, field: 'hard_timeout', hint: expect.any(String) });
  await expect(it.sandbox.command('x').info()).rejects.toMatchObject({ status: 404 });
});

test('[client.tail] the memory of a result does not depend on the size of the output', async () => {
  await using it = await TestSandbox.start();
  const result = await it.sandbox.run('seq 100000', { maxOutput: 10 });
  expect(result).toMatchObject({ stdout: '99\n100000\n'.slice(-10), truncated: true });
});

test('[client.resume] output over cut connections has each byte once, also bytes that are not UTF-8', async () => {
  await using it = await TestSandbox.start();
  it.proxy.cutAfter = 400_000;
  const script = `seq 300000 | LC_ALL=C sed 's/$/\\xff/'`;
  let text = '';
  await it.sandbox.run(script, {
    onOutput: (piece) => {
      text += piece;
    },
  });
  const wanted = Array.from({ length: 300_000 }, (_, number) => `${number + 1}\uFFFD\n`).join('');
  // A difference of texts this long is not readable.
  expect([text.length, text === wanted]).toEqual([wanted.length, true]);
  expect(it.proxy.cuts).toBeGreaterThan(3);
});

test('[client.once] a start that is cut before its answer starts nothing twice', async () => {
  await using it = await TestSandbox.start();
  it.proxy.cutAfter = 0;
  const cutting = setInterval(() => {
    if (it.proxy.cuts >= 3) it.proxy.cutAfter = undefined;
  }, 5);
  const marks = join(it.directory, 'marks');
  const command = await it.sandbox.spawn(`echo x >> ${marks}`);
  await command.wait();
  clearInterval(cutting);
  expect(it.proxy.cuts).toBeGreaterThanOrEqual(3);
  expect(await readFile(marks, 'utf8')).toBe('x\n');
});

test('[client.lines] lines are whole, from an offset on, of either stream', async () => {
  await using it = await TestSandbox.start();
  const { id } = await it.sandbox.run(`printf 'a\\r\\nb\\n\\nlast'; printf 'e\\n' >&2`);
  const lines: string[] = [];
  for await (const line of it.sandbox.command(id).lines()) lines.push(line);
  expect(lines).toEqual(['a', 'b', '', 'last']);
  for await (const line of it.sandbox.command(id).lines({ offset: 3 })) lines.push(line);
  for await (const line of it.sandbox.command(id).lines({ stream: 'stderr' })) lines.push(line);
  expect(lines.slice(4)).toEqual(['b', '', 'last', 'e']);
});

test('[client.stdin] stdin is written in order and once, over cut connections, beyond what the service holds', async () => {
  await using it = await TestSandbox.start();
  const command = await it.sandbox.spawn('sleep 0.3; sha256sum; echo end');
  const data = new Uint8Array(9 * 1024 * 1024).map((_, index) => index % 251);
  const cutting = setInterval(() => it.proxy.cut(), 200);
  await Promise.all([command.write(data), command.write('tail')]);
  await command.closeInput();
  clearInterval(cutting);
  const lines: string[] = [];
  for await (const line of command.lines()) lines.push(line);
  const { createHash } = await import('node:crypto');
  expect(lines).toEqual([`${createHash('sha256').update(data).update('tail').digest('hex')}  -`, 'end']);
});

test('[client.dispose] a command that is held is killed at the end of its block', async () => {
  await using it = await TestSandbox.start();
  let id = '';
  {
    await using server = await it.sandbox.spawn('sleep 1000 & sleep 1000');
    id = server.id;
    expect(await server.info()).toMatchObject({ status: 'running' });
  }
  expect(await it.sandbox.command(id).wait()).toMatchObject({ status: 'killed', signal: 'SIGTERM' });
});

test('[client.abort] a signal ends the wait and not the command', async () => {
  await using it = await TestSandbox.start();
  const stop = new AbortController();
  const running = it.sandbox.run('echo begun; sleep 100', {
    onOutput: () => stop.abort(new Error('enough')),
    signal: stop.signal,
  });
  await expect(running).rejects.toThrow('enough');
  const command = await it.sandbox.spawn('read -r');
  const waiting = command.wait({ signal: AbortSignal.timeout(50) });
  await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(await command.info()).toMatchObject({ status: 'running' });
  await command.kill();
});

test('[client.port] port waits for a listener and gives the address, or fails with the command', async () => {
  await using it = await TestSandbox.start();
  const script = `require('net').createServer().listen(0, () => {})`;
  await using server = await it.sandbox.spawn(
    `node -e "${script.replace('() => {}', 'function() { console.log(this.address().port) }')}"`,
  );
  const lines = server.lines();
  const port = Number((await lines.next()).value);
  expect(await server.port(port)).toBe(`${it.proxy.url}/proxy/${port}/`);
  const ended = await it.sandbox.spawn('exit 1');
  await expect(ended.port(1)).rejects.toThrow('the command ended before port 1 listened');
});

test('[client.bytes] output as bytes is what the command wrote, over cut connections', async () => {
  await using it = await TestSandbox.start();
  it.proxy.cutAfter = 400_000;
  const file = join(it.directory, 'bytes');
  // Text, then bytes that are no UTF-8, then text with the character that stands for them.
  const script = `{ seq 50000; seq 50000 | LC_ALL=C sed 's/$/\\xff/'; printf '\\357\\277\\275'; } | tee ${file}`;
  const pieces: Uint8Array[] = [];
  const { id } = await it.sandbox.run(script, { onBytes: (bytes) => void pieces.push(bytes) });
  const wanted = await readFile(file);
  expect(Buffer.concat(pieces).equals(wanted)).toBe(true);
  const again: Uint8Array[] = [];
  for await (const event of it.sandbox.command(id).output({ bytes: true })) {
    if (event.type === 'output' && event.bytes) again.push(event.bytes);
  }
  expect(Buffer.concat(again).equals(wanted)).toBe(true);
  expect(it.proxy.cuts).toBeGreaterThan(3);
});

test('[client.run-stdin] run passes pieces to stdin, and a command that reads no more ends it', async () => {
  await using it = await TestSandbox.start();
  async function* pieces(): AsyncGenerator<string | Uint8Array> {
    yield 'one\n';
    yield new TextEncoder().encode('two\n');
  }
  let id = '';
  const onStarted = (command: { readonly id: string }): void => {
    id = command.id;
  };
  const all = { stdin: pieces(), onStarted };
  expect(await it.sandbox.run('cat; echo end', all)).toMatchObject({ stdout: 'one\ntwo\nend\n', id });
  async function* endless(): AsyncGenerator<string> {
    for (;;) yield 'y\n'.repeat(1000);
  }
  expect(await it.sandbox.run('head -1', { stdin: endless() })).toMatchObject({ stdout: 'y\n' });
  const stopped = Promise.withResolvers<void>();
  async function* broken(): AsyncGenerator<string> {
    yield 'begun\n';
    await stopped.promise;
    throw new Error('no more input');
  }
  const options = { ...all, stdin: broken(), onOutput: (): void => stopped.resolve() };
  await expect(it.sandbox.run('cat', options)).rejects.toThrow('no more input');
  expect(await it.sandbox.command(id).wait()).toMatchObject({ status: 'killed', signal: 'SIGTERM' });
});

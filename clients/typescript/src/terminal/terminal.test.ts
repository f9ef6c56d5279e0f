import { expect, test } from 'vitest';
import { TestSandbox } from '../client.fixture.ts';

const BARE = { command: 'bash', args: ['--norc', '--noprofile'] };

test('[client.terminal] a terminal types, shows its screen, runs commands, resizes and closes', async () => {
  await using it = await TestSandbox.start({ apiKey: 'correct-horse-battery' });
  let id = '';
  {
    await using terminal = await it.sandbox.terminal({ ...BARE, cols: 100, rows: 10 });
    id = terminal.id;
    await terminal.write('echo "to""gether"\n');
    await expect.poll(async () => (await terminal.screen()).output).toContain('together');
    expect(await terminal.exec('cd /tmp; exit_code() { return 3; }; exit_code')).toMatchObject({ exitCode: 3 });
    await terminal.resize(80, 24);
    expect(await (await it.sandbox.terminal({ id })).info()).toMatchObject({ cols: 80, rows: 24, workingDir: '/tmp' });
  }
  await expect((await it.sandbox.terminal({ id: 'x' })).info()).resolves.toMatchObject({ sessionId: 'x' });
  const open = (await it.daemon.inject({ url: '/v2/pty/sessions', headers: { 'x-api-key': 'correct-horse-battery' } }))
    .body;
  expect(open).not.toContain(id);
});

test('[client.terminal-resume] output of a terminal over cut connections has each byte once, to its exit', async () => {
  await using it = await TestSandbox.start({ apiKey: 'correct-horse-battery' });
  const terminal = await it.sandbox.terminal({ command: 'bash', args: ['-c', 'read -r; seq 200000; exit 4'] });
  const output = terminal.output({ since: 0 });
  const first = output.next();
  await terminal.write('\n');
  it.proxy.cutAfter = 300_000;
  it.proxy.cut();
  let text = '';
  let last: unknown;
  const decoder = new TextDecoder();
  for (let step = await first; !step.done; step = await output.next()) {
    last = step.value;
    if (step.value.type === 'output') text += decoder.decode(step.value.bytes, { stream: true });
  }
  const wanted = `\r\n${Array.from({ length: 200_000 }, (_, number) => `${number + 1}\r\n`).join('')}`;
  expect([text.length, text === wanted]).toEqual([wanted.length, true]);
  expect(last).toMatchObject({ type: 'exit', exitCode: 4 });
  expect(it.proxy.cuts).toBeGreaterThan(3);
});

test('[client.terminal] the output of a terminal that does not exist is 404', async () => {
  await using it = await TestSandbox.start();
  const terminal = await it.sandbox.terminal(BARE);
  await terminal.close();
  await terminal.close();
  await expect(terminal.output().next()).rejects.toMatchObject({ status: 404 });
});

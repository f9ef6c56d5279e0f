import { expect, test } from 'vitest';
import { growthDuring } from '../../../../../scripts/testing/process-memory.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';
import { resultOf } from '../cells.fixture.ts';
import { cellsOf, failureOf } from '../languages.fixture.ts';

const PATIENCE_MS = 90_000;

test.each([
  ['a loop', 'while (true);'],
  ['a loop of microtasks', 'for (;;) await null;'],
  ['a promise that never settles', 'await new Promise(() => {})'],
  ['a getter of the value', '({ get [Symbol.toStringTag]() { for (;;); } })'],
])('[js.endless] %s ends at its timeout, and the session lives', { timeout: PATIENCE_MS }, async (_name, code) => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'javascript');
  await run('let kept = 1');
  const ended = await run(`console.log('begun');\n${code}`, { timeout: 1 });
  expect(ended).toMatchObject({ status: 'timeout', stdout: 'begun\n' });
  expect(Number.isInteger(ended.exit_code)).toBe(true);
  expect(resultOf(await run('kept + 1'))).toBe('2');
});

test('[js.blocked] a cell that waits for a program ends with it', { timeout: PATIENCE_MS }, async () => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'javascript');
  await run('let kept = 1');
  expect(await run('require("child_process").execSync("sleep 301")', { timeout: 1 })).toMatchObject({
    status: 'timeout',
  });
  expect(resultOf(await run('kept'))).toBe('1');
  expect((await daemon.run('pgrep -f "^sleep 301" || true')).stdout).toBe('');
});

test('[js.exit] [code.died] an interpreter that ends is reported, and the next cell has a new one', {
  timeout: PATIENCE_MS,
}, async () => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'javascript');
  const left = await run('var kept = 1; console.log("x"); process.exit(3)');
  expect(left).toMatchObject({ status: 'error', exit_code: 3, stdout: 'x\n' });
  expect(failureOf(left)).toMatchObject({ ename: 'ProcessExit' });
  expect(resultOf(await run('typeof kept'))).toBe("'undefined'");
  expect(await run('process.exit(0)')).toMatchObject({ status: 'ok', exit_code: 0 });
  const killed = await run('process.kill(process.pid, "SIGKILL"); await new Promise(() => {})');
  expect(killed).toMatchObject({ status: 'error', signal: 'SIGKILL', exit_code: -1 });
  expect(failureOf(killed)?.ename).toBe('InterpreterDied');
  expect(await run('process.abort()')).toMatchObject({ status: 'error', signal: 'SIGABRT' });
  expect(await run('1')).toMatchObject({ status: 'ok', execution_count: 1 });
});

test.each([
  [
    'javascript',
    'for (const handle of process._getActiveHandles()) if (handle.remoteAddress !== undefined || handle.server) handle.destroy();\n' +
      'await new Promise((done) => setTimeout(done, 300)); process.exit(3)',
  ],
  ['bash', 'exec >&- 2>&- 250>&- 251>&-; sleep 0.3; exit 3'],
])(
  '[code.died] %s that closes its streams before it ends is reported with its own end',
  {
    timeout: PATIENCE_MS,
  },
  async (language, code) => {
    await using daemon = await TestApp.start();
    expect(await cellsOf(daemon, language)(code)).toMatchObject({ status: 'error', exit_code: 3, signal: null });
  },
);

test('[js.rejection] an error that nothing handles is printed', async () => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'javascript');
  const rejected = await run('let kept = 1; Promise.reject(new Error("unhandled")); 4');
  expect(rejected).toMatchObject({ status: 'ok', stderr: expect.stringMatching(/^Uncaught Error: unhandled\n/) });
  const thrown = await run(
    'await new Promise(done => { setTimeout(done, 20); setTimeout(() => { throw 5 }, 1) }); kept',
  );
  expect(thrown).toMatchObject({ status: 'ok', stderr: 'Uncaught 5\n' });
  expect(resultOf(thrown)).toBe('1');
});

test('[js.control] garbage on the descriptors of the interpreter is harmless', { timeout: PATIENCE_MS }, async () => {
  await using daemon = await TestApp.start();
  const other = cellsOf(daemon, 'javascript', { session_id: 'other' });
  await other('let kept = 1');
  const run = cellsOf(daemon, 'javascript');
  const noise = `
    const sockets = process._getActiveHandles().filter((handle) => handle.write && !handle.fd);
    const names = ['{"done": 1}', 'null', '[1]', '{', '\\x1e\\x1e0 0\\x1e', '{"hello": "x"}'];
    for (const socket of sockets) for (const name of names) socket.write(name + '\\n');
    process.stdout.write('\\x1e0000 0\\x1e{"done": 1}\\n');
    await new Promise((done) => setTimeout(done, 300)); 5`;
  const first = await run(noise);
  expect(['ok', 'error']).toContain(first.status);
  const flood = `
    const piece = 'x'.repeat(1 << 20);
    for (const socket of process._getActiveHandles()) for (let i = 0; i < 40; i++) socket.write?.(piece);
    await new Promise((done) => setTimeout(done, 2000)); 6`;
  await run(flood, { timeout: 10 });
  expect(resultOf(await run('1 + 1'))).toBe('2');
  expect(resultOf(await run('require("fs").closeSync(2); console.log("out"); 7'))).toBe('7');
  expect(resultOf(await other('kept'))).toBe('1');
});

test.runIf(process.platform === 'linux')(
  '[js.many] 100 MB printed cost the daemon little',
  {
    timeout: PATIENCE_MS,
  },
  async () => {
    await using directory = await tempDir();
    // In a process of its own: other tests of this one have garbage in its memory.
    await using daemon = await DaemonProcess.start(directory.path);
    const pid = daemon.child.pid ?? 0;
    const print = (mebibytes: number): Promise<{ stdout: string; stderr: string }> => {
      const code = `const line = 'x'.repeat(1023) + '\\n'; for (let i = 0; i < ${mebibytes * 1024}; i++) process.stdout.write(line); 8`;
      return daemon.data('/v2/code/execute', { language: 'javascript', code, timeout: 60 });
    };
    await print(8);
    const grown = await growthDuring(pid, async () => {
      const printed = await print(100);
      expect(printed.stdout.length).toBeLessThanOrEqual(2_000_000);
      expect(printed.stdout.length).toBeGreaterThan(1_900_000);
      expect(printed.stderr).not.toBe('');
    });
    expect(grown).toBeLessThan(32 * 1024 ** 2);
  },
);

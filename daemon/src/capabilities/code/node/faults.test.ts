import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

/** What a session does before its program, in each of its threads. */
const PRELOADED = {
  /** The thread that ends code comes 700 ms late. */
  lateThread: 'if (!isMainThread) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);',
  /** It ends code 700 ms after it was asked to. */
  lateEnd: `
    const { Session } = require('node:inspector');
    const { post } = Session.prototype;
    Session.prototype.post = function (method, ...more) {
      if (method !== 'Runtime.terminateExecution') return post.call(this, method, ...more);
      setTimeout(() => post.call(this, method, ...more), 700);
    };`,
  /** The next report of an end takes 400 ms. */
  slowReport: `
    const fs = require('node:fs');
    const { writeSync } = fs;
    fs.writeSync = (...given) => {
      const until = globalThis.isSlow ? Date.now() + 400 : 0;
      globalThis.isSlow = false;
      while (Date.now() < until);
      return writeSync(...given);
    };`,
};

async function preloading(daemon: TestApp, directory: string, code: string) {
  const file = join(directory, 'preloaded.cjs');
  writeFileSync(file, `const { isMainThread } = require('node:worker_threads');\n${code}`);
  chmodSync(directory, 0o755);
  const env = { NODE_OPTIONS: `--require=${file}` };
  const created = await daemon.post('/v2/code/sessions', { language: 'javascript', session_id: 's', env });
  expect(created.statusCode).toBe(200);
  return cellsOf(daemon, 'javascript');
}

describe('what ends code that does not return', { timeout: PATIENCE_MS }, () => {
  test('[js.endless] ends it also when it comes late', async () => {
    await using daemon = await TestApp.start();
    await using place = await tempDir();
    const run = await preloading(daemon, place.path, PRELOADED.lateThread);
    expect(await run('var kept = 1; while (true);', { timeout: 0.01 })).toMatchObject({ status: 'timeout' });
    expect(resultOf(await run('kept + 1'))).toBe('2');
  });

  test('[js.endless] does not end the cell after it', async () => {
    await using daemon = await TestApp.start();
    await using place = await tempDir();
    const run = await preloading(daemon, place.path, PRELOADED.lateEnd);
    await run('const busy = (ms) => { const end = Date.now() + ms; while (Date.now() < end); return ms; }');
    expect(await run('busy(500)', { timeout: 0.01 })).toMatchObject({ status: 'timeout' });
    expect(resultOf(await run('busy(1500)'))).toBe('1500');
  });

  test('[js.endless] does not lose the report that it cuts', async () => {
    await using daemon = await TestApp.start();
    await using place = await tempDir();
    const run = await preloading(daemon, place.path, PRELOADED.slowReport);
    await run('var kept = 1');
    const cut = await run('isSlow = true; await new Promise(() => {})', { timeout: 0.1 });
    expect(cut).toMatchObject({ status: 'timeout' });
    expect(await run('console.log(kept + 1)')).toMatchObject({ stdout: '2\n', stderr: '', status: 'ok' });
  });
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

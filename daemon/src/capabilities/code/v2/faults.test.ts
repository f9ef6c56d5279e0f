import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import {
  describeKernels,
  errorOf,
  PATIENCE_MS,
  processesWith,
  python,
  resultOf,
  testKernels,
} from '../cells.fixture.ts';
import { expectConflicts, IPYKERNEL, withKernels } from '../kernel-specs.fixture.ts';

describeKernels('faults of a cell', () => {
  let daemon: TestApp;
  const cell = (code: string, more: object = {}) => python(daemon, code, { session_id: 's', ...more });
  const session = async () => daemon.inject('/v2/code/sessions/s');

  beforeAll(async () => {
    daemon = await TestApp.start();
  });
  beforeEach(async () => void (await cell('here = 1')), PATIENCE_MS);
  afterAll(async () => daemon[Symbol.asyncDispose]());

  test.each([
    ['os._exit(3)', 'import os; os._exit(3)', 3, null],
    ['a signal', 'import os; os.kill(os.getpid(), 9)', -1, 'SIGKILL'],
    ['a segmentation fault', 'import ctypes; ctypes.string_at(0)', -1, 'SIGSEGV'],
  ])(
    '[code.died] %s',
    async (_name, code, exit_code, signal) => {
      const died = await cell(code);
      expect(died).toMatchObject({ status: 'error', exit_code, signal });
      expect(errorOf(died)).toBe('InterpreterDied');
      expect((await session()).statusCode).toBe(404);
      expect(errorOf(await cell('here'))).toBe('NameError');
    },
    PATIENCE_MS,
  );

  test(
    '[code.died] a kernel that closes its sockets before it ends is reported with its own end',
    async () => {
      const code = [
        'import os, socket, time',
        // Those that clients are connected to: of another one, ZeroMQ would end the process.
        'def close(end):',
        '    is_listening = end.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)',
        '    if end.family == socket.AF_UNIX and end.getsockname() and not is_listening: end.shutdown(2)',
        'for name in os.listdir("/proc/self/fd"):',
        '    try: close(socket.socket(fileno=os.dup(int(name))))',
        '    except OSError: pass',
        'time.sleep(0.3)',
        'os._exit(3)',
      ].join('\n');
      expect(await cell(code)).toMatchObject({ status: 'error', exit_code: 3, signal: null });
    },
    PATIENCE_MS,
  );

  test.each([
    ['ignores the interrupt', 'import time\nwhile True:\n    try: time.sleep(60)\n    except KeyboardInterrupt: pass'],
    ['stopped its process', 'import os, signal; os.kill(os.getpid(), signal.SIGSTOP)'],
  ])(
    '[code.timeout-kill] [status.no-repeat-once-begun] a cell that %s',
    async (_name, code) => {
      const begun = performance.now();
      const late = await cell(code, { timeout: 0.5 });
      expect(late).toMatchObject({ status: 'timeout', exit_code: -1, signal: 'SIGKILL' });
      expect(performance.now() - begun).toBeGreaterThan(2400);
      expect((await session()).statusCode).toBe(404);
      expect(errorOf(await cell('here'))).toBe('NameError');
    },
    PATIENCE_MS,
  );

  test('a loop without a pause ends at its timeout', async () => {
    expect(await cell('while True: pass', { timeout: 0.5 })).toMatchObject({ status: 'timeout', signal: null });
    expect(resultOf(await cell('here'))).toBe('1');
  });

  test('[code.failed] an allocation over a limit of memory is an error of the cell, and the session lives', async () => {
    const limited = 'import resource\nresource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.RLIM_INFINITY))';
    expect(errorOf(await cell(`${limited}\nbytearray(8 << 30)`))).toBe('MemoryError');
    expect(resultOf(await cell('here'))).toBe('1');
  });

  test('binary and huge representations, escapes in tracebacks', async () => {
    const { outputs } = await cell(
      'from IPython.display import display\ndisplay({"a/b": "\\x00\\x1b[31m", "image/png": "AAAA"}, raw=True)',
    );
    expect(outputs[0]?.data).toEqual({ 'a/b': '\0\x1b[31m', 'image/png': 'AAAA' });
    expect((await cell('raise ValueError("\\x1b[1m" * 10_000)')).outputs[0]?.output_type).toBe('error');
  });
});

testKernels(
  '[code.one-off] a cell without a session leaves nothing',
  async () => {
    await using daemon = await TestApp.start();
    const env = { MARK: 'of-one-off' };
    await python(daemon, 'left = 1', { env });
    expect(errorOf(await python(daemon, 'left', { env }))).toBe('NameError');
    await expect.poll(() => processesWith('MARK=of-one-off')).toEqual([]);
    expect((await daemon.inject('/v2/code/sessions')).json().data.sessions).toEqual([]);
  },
  PATIENCE_MS,
);

testKernels(
  '[code.queue] eight run at once, the others wait, and 429 comes before the begin',
  async () => {
    await using daemon = await TestApp.start();
    await python(daemon, '1');
    const env = { MARK: 'of-queue' };
    const go = join(daemon.directory, 'go');
    const code = `import os, time\nwhile not os.path.exists(${JSON.stringify(go)}): time.sleep(0.05)`;
    await chmod(daemon.directory, 0o755);
    const begin = () => python(daemon, code, { env, timeout: 100 });
    const all = Array.from({ length: 8 }, begin);
    const running = async () => (await daemon.inject('/v2/sandbox/activity')).json().data.holders.length;
    await expect.poll(running, { timeout: 60_000 }).toBe(8);
    const refused = await daemon.post('/v2/code/execute', { language: 'python', code, timeout: 0.1 });
    expect(refused.statusCode).toBe(429);
    expect(refused.json().data.holders).toHaveLength(8);
    all.push(begin(), begin());
    await writeFile(go, '');
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'ok'));
  },
  PATIENCE_MS,
);

testKernels(
  '[code.kernel-names] [code.conflict] a kernel by its name, one that does not start, and the session of another',
  async () => {
    const specs = {
      mine: IPYKERNEL,
      broken: ['/bin/sh', '-c', 'echo no such thing >&2; exit 7'],
      'not json': [],
    };
    await withKernels(specs, async (daemon) => {
      expect(await python(daemon, '1 + 1', { language: 'mine' })).toMatchObject({
        language: 'mine',
        kernel_name: 'mine',
        status: 'ok',
      });
      const mine = { kernel_name: 'mine', session_id: 's' };
      expect(await python(daemon, 'kept = 1', mine)).toMatchObject({ kernel_name: 'mine' });
      await expectConflicts(daemon, ['/v2/code/execute', '/v2/code/sessions'], 's');
      expect(resultOf(await python(daemon, 'kept', mine))).toBe('1');
      const answer = await daemon.post('/v2/code/execute', { language: 'broken', code: '1' });
      expect([answer.statusCode, answer.json().message]).toEqual([
        503,
        'the kernel broken does not start: it ended with exit code 7: no such thing',
      ]);
    });
  },
  PATIENCE_MS,
);

test('[code.backend-kernel] Python is unavailable without ipykernel', async () => {
  const path = process.env['PATH'];
  process.env['PATH'] = '/nonexistent';
  try {
    await using daemon = await TestApp.start({ codeBackend: 'kernel' });
    const answer = await daemon.post('/v2/code/execute', { language: 'python', code: '1' });
    expect([answer.statusCode, answer.json().hint]).toEqual([503, expect.stringContaining('ipykernel')]);
  } finally {
    process.env['PATH'] = path;
  }
});

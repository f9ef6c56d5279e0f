import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import type { Capability } from '../../../capability.ts';
import { defineCapability } from '../../../capability.ts';
import type { Core } from '../../../core/core.ts';
import { InterpreterProcesses } from '../runtime/interpreter-processes.ts';
import type { CellEnd, Interpreter } from '../runtime/language-runtime.ts';
import type { Output, OutputEvent } from '../runtime/output.ts';
import { PlainPythonRuntime } from './plain-python-runtime.ts';

/** A daemon whose Python has no kernel, and one of its interpreters. */
class Plain implements AsyncDisposable {
  readonly #daemon: TestApp;
  readonly #processes: InterpreterProcesses;
  readonly interpreter: Interpreter;
  #cells = 0;

  private constructor(daemon: TestApp, processes: InterpreterProcesses, interpreter: Interpreter) {
    this.#daemon = daemon;
    this.#processes = processes;
    this.interpreter = interpreter;
  }

  static async start(): Promise<Plain> {
    let core: Core | undefined;
    const capability = defineCapability({
      name: 'code',
      create: (made) => {
        core = made;
        return { [Symbol.asyncDispose]: () => Promise.resolve() };
      },
    });
    const daemon = await TestApp.start({}, undefined, [capability] as readonly Capability[]);
    if (core === undefined) throw new Error('no core');
    const processes = new InterpreterProcesses(core);
    const runtime = new PlainPythonRuntime(processes);
    const identity = processes.runContext.identityOf(undefined);
    const { language, variant } = (await runtime.resolve({ language: 'python' })) ?? { language: '', variant: '' };
    const spec = { language, variant, identity, cwd: processes.runContext.homeOf(identity), env: { GIVEN: 'g' } };
    return new Plain(daemon, processes, await runtime.open(spec));
  }

  async run(code: string, interruptWhen?: string): Promise<CellEnd & { out: string; err: string; rest: Output[] }> {
    const seen: OutputEvent[] = [];
    const textOf = (name: string): string =>
      seen.map((each) => (each.type === 'stream' && each.name === name ? each.text : '')).join('');
    const write = (event: OutputEvent): void => {
      seen.push(event);
      if (interruptWhen !== undefined && textOf('stdout').includes(interruptWhen)) void this.interpreter.interrupt();
    };
    this.#cells += 1;
    const end = await this.interpreter.run({ id: `cell-${this.#cells}`, language: 'python', code }, { write });
    const rest = seen.filter((each): each is Output => each.type === 'error' || each.type === 'execute_result');
    return { ...end, out: textOf('stdout'), err: textOf('stderr'), rest };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.interpreter[Symbol.asyncDispose]();
    this.#processes[Symbol.dispose]();
    await this.#daemon[Symbol.asyncDispose]();
  }
}

test('[plain-python.cells] bindings, values, streams and tracebacks', async () => {
  await using plain = await Plain.start();
  const first = await plain.run('import sys, os\nx = 4\nprint("hi"); print("é", file=sys.stderr)\nx + 1');
  expect(first).toMatchObject({ status: 'ok', exitCode: 0, executionCount: 1, out: 'hi\n', err: 'é\n' });
  expect(first.rest).toEqual([
    { type: 'execute_result', data: { 'text/plain': '5' }, metadata: {}, executionCount: 1 },
  ]);
  expect((await plain.run('x = x * 2')).rest).toEqual([]);
  expect((await plain.run('_ = None\n(x, os.environ["GIVEN"], __name__)')).rest).toMatchObject([
    { data: { 'text/plain': "(8, 'g', '__main__')" } },
  ]);
  const raised = await plain.run('def f():\n    raise ValueError("v")\n\nf()');
  expect(raised).toMatchObject({ status: 'error', exitCode: 1 });
  const [error] = raised.rest;
  expect(error).toMatchObject({ type: 'error', ename: 'ValueError', evalue: 'v' });
  const text = error?.type === 'error' ? error.traceback.join('\n') : '';
  expect(text).toMatch(/^Traceback[^\n]*\n {2}File "cell-4\.py", line 4, in <module>\n {4}f\(\)\n/);
  expect(text).toContain('line 2, in f\n    raise ValueError("v")');
  const chained = await plain.run('try:\n    f()\nexcept ValueError as e:\n    raise KeyError("k") from e');
  expect(JSON.stringify(chained.rest)).toContain('direct cause');
  expect((await plain.run('1 +')).rest).toMatchObject([{ ename: 'SyntaxError' }]);
  expect((await plain.run('import asyncio\nawait asyncio.sleep(0.01)\n7')).rest).toMatchObject([
    { data: { 'text/plain': '7' } },
  ]);
  const streams = await plain.run(
    'import subprocess\nprint(1)\nsubprocess.run(["echo", "sub"])\nprint(2, end="")\nNone',
  );
  expect(streams.out).toBe('1\nsub\n2');
  expect((await plain.run('input()')).rest).toMatchObject([{ ename: 'EOFError' }]);
});

test('[plain-python.timeout] an interrupted cell raises KeyboardInterrupt, and bindings stay', async () => {
  await using plain = await Plain.start();
  await plain.run('kept = 1');
  for (const wait of [
    'while True: pass',
    'import time; time.sleep(300)',
    'import subprocess; subprocess.run(["sleep", "300"])',
  ]) {
    const ended = await plain.run(`print("begun")\n${wait}`, 'begun');
    expect(ended.rest).toMatchObject([{ ename: 'KeyboardInterrupt' }]);
  }
  await plain.interpreter.interrupt();
  expect((await plain.run('kept')).rest).toMatchObject([{ data: { 'text/plain': '1' } }]);
});

test.each([
  ['import sys; print("x"); sys.exit(3)', { status: 'error', exitCode: 3, out: 'x\n' }],
  ['import sys; sys.exit("why")', { status: 'error', exitCode: 1, err: 'why\n' }],
  ['exit()', { status: 'ok', exitCode: 0 }],
  ['import os; os._exit(4)', { status: 'died' }],
])('[plain-python.ends] %s', async (code, end) => {
  await using plain = await Plain.start();
  expect(await plain.run(code)).toMatchObject(end);
  expect(await plain.interpreter.process.ended).toMatchObject({ signal: null });
});

test('[code.installed-plain] Python without ipykernel imports what was installed since it began', async () => {
  await using place = await tempDir();
  const local = join(place.path, 'local');
  const before = process.env['PYTHONUSERBASE'];
  process.env['PYTHONUSERBASE'] = local;
  try {
    await using plain = await Plain.start();
    expect((await plain.run('import lateplain')).rest).toMatchObject([{ ename: 'ModuleNotFoundError' }]);
    const { rest } = await plain.run('import site\nsite.getusersitepackages()');
    const [result] = rest;
    const packages = result?.type === 'execute_result' ? String(result.data['text/plain']).slice(1, -1) : '';
    expect(packages.startsWith(local)).toBe(true);
    await mkdir(packages, { recursive: true });
    await writeFile(join(packages, 'lateplain.py'), 'value = 5\n');
    expect((await plain.run('import lateplain\nlateplain.value')).rest).toMatchObject([
      { data: { 'text/plain': '5' } },
    ]);
  } finally {
    if (before === undefined) delete process.env['PYTHONUSERBASE'];
    else process.env['PYTHONUSERBASE'] = before;
  }
});

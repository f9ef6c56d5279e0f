import { expect } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { PATIENCE_MS, python, resultOf, testKernels } from './cells.fixture.ts';

/** What a program writes to the descriptor, in turns with what the cell prints; a busy machine mixes them seldom. */
const TURNS = `import os, sys
for turn in range(200):
    os.write(1, b"a")
    print("b", end="")
print()
os.write(1, b"last\\n")`;

testKernels(
  '[code.stream-order] what a program wrote to stdout is before what the cell prints, shows or raises after it',
  async () => {
    await using daemon = await TestApp.start();
    const cell = (code: string) => python(daemon, code, { session_id: 's' });
    const printed = await cell(`${TURNS};`);
    expect(printed.outputs).toMatchObject([{ text: `${'ab'.repeat(200)}\nlast\n` }]);
    for (const [end, kind] of [
      ['os.write(1, b"end")', 'execute_result'],
      ['os.write(1, b"end");\ndisplay(1)', 'display_data'],
      ['os.write(1, b"end");\n1 / 0', 'error'],
    ]) {
      for (let round = 0; round < 10; round += 1) {
        const { outputs } = await cell(end ?? '');
        expect([outputs.map(({ output_type }) => output_type), outputs[0]?.text]).toEqual([['stream', kind], 'end']);
      }
    }
  },
  PATIENCE_MS,
);

testKernels(
  '[code.stream-order] a program that writes all the time holds nothing up, nor does a fork that prints',
  async () => {
    await using daemon = await TestApp.start();
    const flood = `import subprocess, time
flood = subprocess.Popen(["yes", "x" * 50])
begun = time.monotonic()
for turn in range(2000):
    print("b", end="")
took = time.monotonic() - begun
flood.kill(), flood.wait()
None`;
    await python(daemon, flood, { session_id: 's' });
    expect(resultOf(await python(daemon, 'took < 30', { session_id: 's' }))).toBe('True');
    const fork = `import multiprocessing, os
def say(): print("from a fork", flush=True)
os.write(1, b"before\\n")
child = multiprocessing.get_context("fork").Process(target=say)
child.start(), child.join(30)
child.exitcode`;
    const forked = await python(daemon, fork, { session_id: 'forks' });
    expect([forked.stdout, resultOf(forked)]).toEqual([expect.stringContaining('from a fork\n'), '0']);
  },
  PATIENCE_MS,
);

testKernels(
  '[code.stream-order] half a character at the end of a cell holds no other print up',
  async () => {
    await using daemon = await TestApp.start();
    const half = 'import os\nos.write(1, b"x\\xc3")\nNone';
    const begun = performance.now();
    for (let round = 0; round < 3; round += 1) {
      const { status, stdout } = await python(daemon, half, { session_id: 's' });
      expect([status, stdout]).toEqual(['ok', 'x\ufffd']);
    }
    expect(performance.now() - begun).toBeLessThan(50_000);
  },
  PATIENCE_MS,
);

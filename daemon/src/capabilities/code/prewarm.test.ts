import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { PATIENCE_MS, python, testKernels } from './cells.fixture.ts';
import { cellsOf } from './languages.fixture.ts';

testKernels(
  '[code.prewarm] [config.kernel-prewarm] a warm kernel serves the call, in its directory, and another is started',
  async () => {
    await using daemon = await TestApp.start({ kernelPrewarm: 1, kernelPreload: ['colorsys', 'no_such_module'] });
    const warm = async () => {
      const { body } = await daemon.inject('/metrics');
      return Number(/^code_warm (\d+)/m.exec(body)?.[1]);
    };
    await expect.poll(warm, { timeout: 60_000 }).toBe(1);
    const more = { session_id: 's', cwd: '/usr', env: { GIVEN: 'yes' } };
    const { stdout, execution_count } = await python(
      daemon,
      'import os, sys\nprint(os.getcwd(), os.environ["GIVEN"], "colorsys" in sys.modules)',
      more,
    );
    expect([stdout, execution_count]).toEqual(['/usr yes True\n', 1]);
    await expect.poll(warm, { timeout: 60_000 }).toBe(1);
    // Only the start of an interpreter reads some variables: such a call gets a kernel of its own.
    const other = await python(daemon, 'import sys\nsys.flags.dont_write_bytecode', {
      env: { PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(other.outputs[0]?.data?.['text/plain']).toBe('1');
  },
  PATIENCE_MS,
);

test('[code.prewarm] a warm JavaScript interpreter serves the call, in its directory, and another is started', async () => {
  await using daemon = await TestApp.start({ codePrewarm: 1 });
  const warm = async () => {
    const { body } = await daemon.inject('/metrics');
    return Number(/^code_warm (\d+)/m.exec(body)?.[1]);
  };
  await expect.poll(warm, { timeout: 60_000 }).toBe(1);
  const run = cellsOf(daemon, 'javascript', { cwd: '/usr', env: { GIVEN: 'yes' } });
  const { stdout, execution_count } = await run('console.log(process.cwd(), __dirname, process.env.GIVEN)');
  expect([stdout, execution_count]).toEqual(['/usr /usr yes\n', 1]);
  await expect.poll(warm, { timeout: 60_000 }).toBe(1);
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestSandbox } from '../client.fixture.ts';
import { CellFailed, type CellOutput } from '../index.ts';
import type { NotebookOutput } from '../wire.ts';
import { imagesOf, outputOf, textOfResult } from './cell.ts';

test('[client.notebook] a notebook keeps its state, and gives text and errors of a cell', async () => {
  await using it = await TestSandbox.start();
  await using notebook = it.sandbox.notebook('javascript');
  await notebook.run('const a = 6');
  const seen: CellOutput[] = [];
  const result = await notebook.run('console.log("hi"); a * 7', { onOutput: (output) => void seen.push(output) });
  expect(result).toMatchObject({ status: 'ok', stdout: 'hi\n', text: '42' });
  expect(seen.map(({ type }) => type)).toEqual(['stream', 'result']);
  const failed = await notebook.run('null.x').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(CellFailed);
  expect(failed).toMatchObject({ message: expect.stringContaining('TypeError'), result: { status: 'error' } });
  expect(await notebook.run('null.x', { check: false })).toMatchObject({ status: 'error' });
  const consumer = notebook.run('console.log(1)', { onOutput: () => Promise.reject(new Error('of the consumer')) });
  await expect(consumer).rejects.toThrow('of the consumer');
});

test('[client.notebook] images and the text of a result come from the outputs of a kernel', () => {
  const outputs = [
    { output_type: 'display_data', data: { 'image/png': 'aGk=\n', 'text/plain': '<Figure>' }, metadata: {} },
    { output_type: 'execute_result', data: { 'text/plain': '42' }, metadata: {}, execution_count: 1 },
  ].map((output) => outputOf(output as NotebookOutput));
  expect(imagesOf(outputs)).toEqual([{ type: 'image/png', bytes: new TextEncoder().encode('hi') }]);
  expect(textOfResult(outputs)).toBe('42');
});

test('[client.notebook] a result keeps the last outputs, and onOutput gets all', async () => {
  await using it = await TestSandbox.start();
  await using notebook = it.sandbox.notebook('bash');
  let seen = 0;
  const onOutput = (output: CellOutput): void => {
    if (output.type === 'stream') seen += output.text.length;
  };
  const result = await notebook.run('head -c 1500000 /dev/zero | tr "\\0" x; sleep 0.2; echo; echo last', {
    onOutput,
    maxOutput: 500_000,
  });
  expect([seen, result.truncated]).toEqual([1_500_006, true]);
  const kept = result.outputs.map((output) => (output.type === 'stream' ? output.text : '')).join('');
  expect(kept.length).toBeLessThanOrEqual(500_000);
  expect(kept).toMatch(/last\n$/);
  expect(await notebook.run('echo one')).toMatchObject({ truncated: false, outputs: [{ text: 'one\n' }] });
});

test('[client.notebook-once] a cell whose connection is cut runs once, and each output is delivered once', async () => {
  await using it = await TestSandbox.start();
  await using notebook = it.sandbox.notebook('bash');
  const marks = join(it.directory, 'marks');
  it.proxy.cutAfter = 1;
  const cutting = setInterval(() => {
    it.proxy.cutAfter = it.proxy.cuts < 3 ? 1 : 20_000;
  }, 5);
  let text = '';
  await notebook.run(
    `echo x >> ${marks}; for i in $(seq 3000); do echo line $i; [ $((i % 100)) = 0 ] && sleep 0.01; done`,
    {
      onOutput: (output) => {
        if (output.type === 'stream') text += output.text;
      },
    },
  );
  clearInterval(cutting);
  it.proxy.cutAfter = undefined;
  expect(text).toBe(Array.from({ length: 3000 }, (_, number) => `line ${number + 1}\n`).join(''));
  expect(await readFile(marks, 'utf8')).toBe('x\n');
  expect(it.proxy.cuts).toBeGreaterThanOrEqual(3);
});

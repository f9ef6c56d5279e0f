import { expect, test } from 'vitest';
import { heldMemory } from '../../../../../scripts/testing/held-memory.ts';
import type { OutputEvent } from '../runtime/output.ts';
import { OutputLimits, TEXT_CHARACTERS } from './output-limits.ts';

const stream = (text: string, name: 'stdout' | 'stderr' = 'stdout'): OutputEvent => ({ type: 'stream', name, text });

test('[code.cap] streams and plain results share the characters; one note stands for all that is left out', () => {
  expect(TEXT_CHARACTERS).toBe(2_000_000);
  const limits = new OutputLimits();
  expect(limits.admit(stream('x'.repeat(1_999_998)))).toHaveLength(1);
  const data = { 'text/plain': 'abc', 'text/html': '<b>' };
  const [kept, note] = limits.admit({ type: 'execute_result', data, metadata: {}, executionCount: 1 });
  expect(kept).toMatchObject({ data: { 'text/plain': 'ab', 'text/html': '<b>' } });
  expect(note).toMatchObject({ type: 'stream', name: 'stderr', text: expect.stringContaining('2000000 characters') });
  expect(limits.admit(stream('more'))).toEqual([]);
  expect(limits.admit({ type: 'clear_output', wait: false })).toHaveLength(1);
});

test('[code.cap] exactly as many characters need no note, and no pair is divided', () => {
  const limits = new OutputLimits();
  expect(limits.admit(stream('x'.repeat(TEXT_CHARACTERS - 1)))).toHaveLength(1);
  const admitted = limits.admit(stream('😀'));
  expect(admitted).toEqual([expect.objectContaining({ name: 'stderr' })]);
  const whole = new OutputLimits();
  expect(whole.admit(stream('x'.repeat(TEXT_CHARACTERS)))).toHaveLength(1);
  expect(whole.admit(stream('y'))).toEqual([expect.objectContaining({ name: 'stderr' })]);
});

test('[limits.text-beginnings] the error of a cell does not hold its long name in memory', () => {
  const before = heldMemory();
  const kept = Array.from({ length: 32 }, () => {
    const ename: string = JSON.parse(`"${'x'.repeat(1024 ** 2)}"`);
    return new OutputLimits().admit({ type: 'error', ename, evalue: '', traceback: [] });
  });
  // With their names they would take 32 MiB.
  expect(heldMemory() - before).toBeLessThan(8 * 1024 ** 2);
  expect(kept.flat()).toHaveLength(32);
});

test('outputs are bounded in number and in bytes', () => {
  const limits = new OutputLimits();
  const display = (png: string): OutputEvent => ({ type: 'display_data', data: { 'image/png': png }, metadata: {} });
  for (let count = 0; count < 10_000; count += 1) expect(limits.admit(display('A'))).toHaveLength(1);
  expect(limits.admit(display('A'))).toEqual([
    expect.objectContaining({ text: expect.stringContaining('10000 outputs') }),
  ]);
  const large = new OutputLimits();
  const piece = 'A'.repeat(48 * 1024 ** 2);
  expect([1, 2, 3].map(() => large.admit(display(piece))[0]?.type)).toEqual(['display_data', 'display_data', 'stream']);
});

test('an error is bounded', () => {
  const traceback = Array.from({ length: 5000 }, (_, index) => `line ${index}`);
  const [error] = new OutputLimits().admit({ type: 'error', ename: 'E', evalue: 'x'.repeat(300_000), traceback });
  expect(error).toMatchObject({ evalue: 'x'.repeat(200_000), traceback: traceback.slice(-1000) });
});

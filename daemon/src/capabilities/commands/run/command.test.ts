import { expect, test } from 'vitest';
import { heldMemory } from '../../../../../scripts/testing/held-memory.ts';
import { newRecord } from './command.ts';

test('[limits.text-beginnings] the record of a long command does not hold all of it in memory', () => {
  const before = heldMemory();
  const records = Array.from({ length: 16 }, (_, n) => {
    const command: string = JSON.parse(`"${'x'.repeat(8 * 1024 ** 2)}"`);
    return newRecord({ id: `${n}`, command, startedTick: 0 });
  });
  // With their commands they would take 128 MiB.
  expect(heldMemory() - before).toBeLessThan(16 * 1024 ** 2);
  expect(records.map(({ command }) => command.length)).toEqual(Array(16).fill(65_536));
});

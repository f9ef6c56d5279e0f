import { expect, test } from 'vitest';
import { kernelSessionsFor, zygoteFor } from './kernel-sessions.ts';

test.each([
  [512, 5],
  [960, 5],
  [1152, 6],
  [2048, 10],
  [3072, 16],
  [65_536, 16],
])('[code.session-limit] %i MiB take %i kernel sessions', (mib, sessions) => {
  expect(kernelSessionsFor(mib * 1024 ** 2)).toBe(sessions);
});

test.each([
  [512, 'never'],
  [767, 'never'],
  [768, 'boot'],
  [65_536, 'boot'],
] as const)('[code.zygote] with %i MiB kernels are forked or not', (mib, expected) => {
  expect(zygoteFor(mib * 1024 ** 2)).toBe(expected);
});

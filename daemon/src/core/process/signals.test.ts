import { expect, test } from 'vitest';
import { normalizeSignal, SIGNAL_NAMES } from './signals.ts';

test.each(['TERM', 'SIGTERM', 'sigterm', 'term', ' Term ', 15, '15'])('%j is SIGTERM', (signal) => {
  expect(normalizeSignal(signal)).toBe('SIGTERM');
});

test.each(['', 'SIG', '0', 0, -15, 1.5, 999, 'NOPE', 'toString', 'SIGtoString'])('%j is no signal', (signal) => {
  expect(normalizeSignal(signal)).toBeUndefined();
});

test('the list has the names kill knows', () => {
  expect(SIGNAL_NAMES).toEqual(
    expect.arrayContaining(['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGUSR1', 'SIGTERM', 'SIGCONT']),
  );
});

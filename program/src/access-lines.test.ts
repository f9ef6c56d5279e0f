import { expect, test } from 'vitest';
import { hasAccessLine } from './access-lines.ts';

test.each([
  ['/v2/commands', 200, false],
  ['/v2/commands', 101, false],
  ['/cdp', 303, false],
  ['/v2/commands/x', 404, true],
  ['/v2/commands', 500, true],
  ['/v2/commands', null, true],
  ['/health', 503, false],
  ['/ready', 503, false],
])('[log.access] of %s with status %s the default writes a line: %s', (path, status, isWritten) => {
  expect(hasAccessLine('errors', { path, status })).toBe(isWritten);
  expect(hasAccessLine('all', { path, status })).toBe(true);
  expect(hasAccessLine('off', { path, status })).toBe(false);
});

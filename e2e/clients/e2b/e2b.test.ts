import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endpoint } from './endpoint.ts';
import { drive, driverWithE2b, pythonWithE2b } from './published-clients.ts';

const TIMEOUT = { timeout: 600_000 };
const KEYS = [
  ['without a key', ''],
  ['with a key', 'the-key'],
] as const;

test.each(KEYS)('[e2b.clients] the Python SDKs work unchanged %s, synchronous', TIMEOUT, async (_name, key) => {
  const python = await pythonWithE2b();
  await using service = await endpoint(key);
  expect(await drive(python, [join(import.meta.dirname, 'drive_sync.py')], service.env)).toBe('passed\n');
});

test.each(KEYS)('[e2b.clients] the Python SDKs work unchanged %s, asynchronous', TIMEOUT, async (_name, key) => {
  const python = await pythonWithE2b();
  await using service = await endpoint(key);
  expect(await drive(python, [join(import.meta.dirname, 'drive_async.py')], service.env)).toBe('passed\n');
});

test.each(KEYS)('[e2b.clients] the JavaScript SDKs work unchanged %s', TIMEOUT, async (_name, key) => {
  const driver = await driverWithE2b();
  await using service = await endpoint(key);
  expect(await drive(process.execPath, [driver], service.env)).toBe('passed\n');
});

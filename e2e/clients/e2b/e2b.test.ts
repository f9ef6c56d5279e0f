import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { endpoint } from './endpoint.ts';
import { expectedFailures, runSuite } from './public-suite.ts';
import { drive, driverWithE2b, notebookPrograms, pythonWithE2b } from './published-clients.ts';

const TIMEOUT = { timeout: 600_000 };
const SUITE_TIMEOUT = { timeout: 1_800_000 };
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

const PLACE = process.env['CLIENTS_IN'] === 'image' ? 'image' : 'machine';

/** A PATH with matplotlib and pandas, which the image has not. */
async function analystsPath(): Promise<Record<string, string>> {
  return PLACE === 'image' ? {} : { PATH: `${await notebookPrograms()}:${process.env['PATH']}` };
}

if (PLACE === 'machine') {
  test('[e2b.clients] the Python SDK reads figures, charts, frames and JSON', TIMEOUT, async () => {
    const python = await pythonWithE2b();
    await using service = await endpoint('', await analystsPath());
    expect(await drive(python, [join(import.meta.dirname, 'drive_figures.py')], service.env)).toBe('passed\n');
  });
}

const SUITES: readonly (readonly [string, string | undefined, readonly string[]])[] = [
  [
    'E2B',
    process.env['E2B_SOURCE'] && join(process.env['E2B_SOURCE'], 'packages/python-sdk'),
    ['sync/sandbox_sync', 'sync/api_sync', 'async/sandbox_async', 'async/api_async'],
  ],
  [
    'the code interpreter',
    process.env['E2B_INTERPRETER_SOURCE'] && join(process.env['E2B_INTERPRETER_SOURCE'], 'python'),
    ['sync', 'async', 'charts', 'images'],
  ],
];

for (const [name, suite, folders] of SUITES) {
  if (!suite) continue;
  test(`[e2b.clients] the public suite of ${name} passes but for what the list says`, SUITE_TIMEOUT, async () => {
    const options = { SVC_PROTOCOL_SHARED: 'true', SVC_SHELL_MAX_SESSIONS: '100', ...(await analystsPath()) };
    await using service = await endpoint('the-key', options);
    const paths = folders.map((folder) => `tests/${folder}`);
    const { passed, failed } = await runSuite(suite, paths, service.env);
    const expected = await expectedFailures(join(import.meta.dirname, 'public-suite.txt'), PLACE);
    expect(failed.filter((one) => !expected.some((pattern) => pattern.test(one)))).toEqual([]);
    expect(passed.length).toBeGreaterThan(failed.length);
  });
}

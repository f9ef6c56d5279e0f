import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { endpoint } from './endpoint.ts';
import { runNpmSuite } from './npm-suite.ts';
import { expectedFailures, runSuite, type SuiteResult } from './public-suite.ts';
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

/** A folder of a checkout that a variable names; undefined without one. */
function checkout(variable: string, folder: string): string | undefined {
  const source = process.env[variable];
  return source ? join(source, folder) : undefined;
}

type RunSuite = (suite: string, env: Record<string, string>) => Promise<SuiteResult>;

const python =
  (...folders: readonly string[]): RunSuite =>
  (suite, env) =>
    runSuite(
      suite,
      folders.map((folder) => `tests/${folder}`),
      env,
    );
const npm =
  (published: string): RunSuite =>
  (suite, env) =>
    runNpmSuite(suite, published, env);

const E2B_FOLDERS = ['sync/sandbox_sync', 'sync/api_sync', 'async/sandbox_async', 'async/api_async'];
const SUITES: readonly (readonly [name: string, suite: string | undefined, list: string, RunSuite])[] = [
  ['E2B in Python', checkout('E2B_SOURCE', 'packages/python-sdk'), 'public-suite.txt', python(...E2B_FOLDERS)],
  ['E2B in JavaScript', checkout('E2B_SOURCE', 'packages/js-sdk'), 'npm-suite.txt', npm('e2b')],
  [
    'the code interpreter in Python',
    checkout('E2B_INTERPRETER_SOURCE', 'python'),
    'public-suite.txt',
    python('sync', 'async', 'charts', 'images'),
  ],
  [
    'the code interpreter in JavaScript',
    checkout('E2B_INTERPRETER_SOURCE', 'js'),
    'npm-suite.txt',
    npm('@e2b/code-interpreter'),
  ],
];

for (const [name, suite, list, runTests] of SUITES) {
  if (!suite) continue;
  test(`[e2b.clients] the public suite of ${name} passes but for what the list says`, SUITE_TIMEOUT, async () => {
    // Files stay after a kill, and the suites use the same names.
    await using home = await tempDir();
    const own = PLACE === 'machine' ? { HOME: home.path } : {};
    const options = { SVC_PROTOCOL_SHARED: 'true', SVC_SHELL_MAX_SESSIONS: '100', ...own, ...(await analystsPath()) };
    await using service = await endpoint('the-key', options);
    const { passed, failed } = await runTests(suite, service.env);
    process.stdout.write(`${name}: ${passed.length} of ${passed.length + failed.length} passed\n`);
    const expected = await expectedFailures(join(import.meta.dirname, list), PLACE);
    expect(failed.filter((one) => !expected.some((pattern) => pattern.test(one)))).toEqual([]);
    expect(passed.length).toBeGreaterThan(failed.length);
  });
}

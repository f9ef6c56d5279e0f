import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/testing/longest-first.ts';
import { CLOCK_TESTS, SYSTEM_TESTS, UNIT_TESTS } from './scripts/testing/projects.ts';
import { renewedWorkers } from './scripts/testing/renewed-workers.ts';
import { RunReporter } from './scripts/testing/run-reporter.ts';

// A machine may be busy: a wait is long, and still fails in the end.
const PATIENCE = { testTimeout: 90_000, hookTimeout: 90_000, expect: { poll: { timeout: 45_000 } }, ...whole() };
const LONG_PATIENCE = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 120_000 } },
  ...whole(),
};

const OWN_PLACE = ['scripts/testing/own-directories.ts', 'scripts/testing/without-shims.ts'];
const PREPARE = [
  'scripts/testing/build-keepers.ts',
  'scripts/testing/build-bundles.ts',
  'scripts/testing/compile-cache.ts',
  ...OWN_PLACE,
];
const SETUP = { setupFiles: ['scripts/testing/full-tables.ts'] };

export default defineConfig({
  test: {
    reporters: ['default', new RunReporter()],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [...UNIT_TESTS],
          exclude: ['**/node_modules/**', '**/dist/**', ...SYSTEM_TESTS, ...CLOCK_TESTS],
          globalSetup: PREPARE,
          ...SETUP,
          ...PATIENCE,
          // Two of them use two processors beside the tests of the images, since a test also waits for its processes.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          // A worker process loads the service once for many files, not once for each.
          isolate: false,
          pool: renewedWorkers(24),
        },
      },
      {
        test: {
          name: 'system',
          include: [...SYSTEM_TESTS],
          globalSetup: PREPARE,
          ...SETUP,
          ...PATIENCE,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'clock',
          include: [...CLOCK_TESTS],
          globalSetup: PREPARE,
          ...SETUP,
          ...PATIENCE,
          // They wait, and use no processor meanwhile.
          maxWorkers: CLOCK_TESTS.length,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          // Of the clients, what shows in half a minute that the published packages of a protocol work.
          include: ['e2e/scenarios/**/*.test.ts', 'e2e/clients/e2b/domain.test.ts'],
          globalSetup: OWN_PLACE,
          ...SETUP,
          ...LONG_PATIENCE,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'images',
          include: ['e2e/images/**/*.test.ts'],
          globalSetup: ['e2e/setup/images.ts'],
          // What removes containers after a crash would have to be pulled; the set-up does it instead.
          env: { TESTCONTAINERS_RYUK_DISABLED: 'true' },
          ...SETUP,
          ...LONG_PATIENCE,
          // A container waits most of the time, and other lanes run beside it.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'clients',
          include: ['e2e/clients/**/*.test.ts'],
          env: { TESTCONTAINERS_RYUK_DISABLED: 'true' },
          globalSetup: OWN_PLACE,
          ...SETUP,
          ...LONG_PATIENCE,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'fuzz',
          include: ['e2e/fuzz/**/*.test.ts'],
          globalSetup: ['e2e/setup/images.ts'],
          env: { TESTCONTAINERS_RYUK_DISABLED: 'true' },
          ...SETUP,
          ...LONG_PATIENCE,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'conditions',
          include: ['e2e/conditions/**/*.test.ts'],
          globalSetup: ['e2e/setup/images.ts'],
          env: { TESTCONTAINERS_RYUK_DISABLED: 'true' },
          ...SETUP,
          ...LONG_PATIENCE,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'kubernetes',
          include: ['e2e/kubernetes/**/*.test.ts'],
          globalSetup: OWN_PLACE,
          ...SETUP,
          ...LONG_PATIENCE,
          testTimeout: 600_000,
          fileParallelism: false,
        },
      },
      // The whole with TEST_EXTENT=whole, as test:attacks, test:python and test:terminals set it; else half a minute.
      ...(['attacks', 'python', 'terminals'] as const).map((name) => ({
        test: {
          name,
          include: [`e2e/${name}/**/*.test.ts`],
          // Days take half a minute each; `npm test` has the one of the daemon image.
          exclude: process.env['TEST_EXTENT'] === 'whole' ? [] : ['e2e/python/days/**'],
          env: { TESTCONTAINERS_RYUK_DISABLED: 'true' },
          globalSetup: [...PREPARE, ...(name === 'python' ? ['e2e/setup/notebook-python.ts'] : [])],
          ...SETUP,
          ...LONG_PATIENCE,
          // Rounds of hours run beside other work.
          ...(process.env['TEST_EXTENT'] === 'whole' && { testTimeout: 900_000 }),
          fileParallelism: false,
        },
      })),
      {
        test: {
          name: 'pages',
          include: ['e2e/pages/**/*.test.ts'],
          globalSetup: OWN_PLACE,
          ...SETUP,
          ...LONG_PATIENCE,
          fileParallelism: false,
          // One process loads Playwright and Puppeteer once for all files.
          isolate: false,
          sequence: { groupOrder: 4 },
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['{program,api,daemon,gateway,browser-mcp,computer-use}/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.fixture.ts', '**/main.ts'],
      reporter: ['text-summary'],
      thresholds: { statements: 88, branches: 80, functions: 90, lines: 89 },
    },
  },
});

/** The line of a failure has its values, up to this many characters. */
function whole() {
  return { chaiConfig: { truncateThreshold: 400 } };
}

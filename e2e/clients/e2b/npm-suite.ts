import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../scripts/root.ts';
import type { SuiteResult } from './public-suite.ts';
import { NPM } from './published-clients.ts';

const run = promisify(execFile);

const DIRECTORY = join(ROOT, 'dist/clients/e2b-npm-suite');
const PACKAGES = [...NPM, 'vitest@4.1.12'];
const RUN_MS = 1_500_000;
/** Tests that use a sandbox, and those that replace what they would call. */
const USES_SANDBOX = /sandboxTest\b|Sandbox\.create/i;
const REPLACES = /'msw|\bvi\.(?:mock|doMock|spyOn|stubGlobal|fn)\b/;
/** They kill programs of systemd by name, which may be those of this machine; others need a runtime of their own. */
const LEFT_OUT = /systemd|runtimes/;

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/**
 * Runs the tests of a checkout that use a sandbox, with the published package where they import the sources.
 * @param suite directory that has `tests`
 * @param published name of the package
 */
export async function runNpmSuite(suite: string, published: string, env: Record<string, string>): Promise<SuiteResult> {
  await install();
  const directory = join(DIRECTORY, 'suite', published);
  await rm(directory, { recursive: true, force: true });
  await cp(join(suite, 'tests'), join(directory, 'tests'), { recursive: true });
  const config = join(directory, 'vitest.config.mjs');
  await writeFile(config, configOf(published, await filesOf(directory)));
  const report = join(directory, 'report.json');
  const args = [join(DIRECTORY, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config];
  const all = { ...process.env, E2B_VALIDATE_API_KEY: 'false', NODE_OPTIONS: '', ...env };
  // vitest ends with 1 if a test fails, which the report says too.
  await run(process.execPath, [...args, '--reporter=json', `--outputFile=${report}`], {
    cwd: directory,
    env: all,
    timeout: RUN_MS,
    maxBuffer: 64 * 1024 ** 2,
  }).catch(() => undefined);
  return resultOf(JSON.parse(await readFile(report, 'utf8')), join(directory, 'tests'));
}

async function install(): Promise<void> {
  const stamp = join(DIRECTORY, `${PACKAGES.join(' ').replaceAll('/', '-')}.installed`);
  if (existsSync(stamp)) return;
  await mkdir(DIRECTORY, { recursive: true });
  await writeFile(join(DIRECTORY, 'package.json'), '{"name":"e2b-suite","private":true,"type":"module"}');
  await run('npm', ['install', '--silent', '--save-exact', '--ignore-scripts', ...PACKAGES], { cwd: DIRECTORY });
  await writeFile(stamp, '');
}

async function filesOf(directory: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob('tests/**/*.test.ts', { cwd: directory })) {
    const source = await readFile(join(directory, file), 'utf8');
    if (USES_SANDBOX.test(source) && !REPLACES.test(source) && !LEFT_OUT.test(file)) files.push(file);
  }
  return files.sort();
}

function configOf(published: string, include: readonly string[]): string {
  return `export default {
  test: { include: ${JSON.stringify(include)}, testTimeout: 60_000, maxWorkers: 2 },
  resolve: { alias: [{ find: /^(?:\\.\\.\\/)+src(?:\\/.*)?$/, replacement: ${JSON.stringify(published)} }] },
};
`;
}

/** Names as `sandbox.files.read.read_file`: the file, then the test. */
function resultOf({ testResults }: Report, directory: string): SuiteResult {
  const passed: string[] = [];
  const failed: string[] = [];
  for (const { name, message, assertionResults } of testResults) {
    const file = relative(directory, name)
      .replace(/\.test\.ts$/, '')
      .replaceAll(sep, '.');
    if (assertionResults.length === 0 && message !== '') failed.push(`${file}.file`);
    for (const { fullName, status } of assertionResults) {
      const test = `${file}.${fullName.trim().replaceAll(/[^A-Za-z0-9]+/g, '_')}`;
      if (status === 'failed') failed.push(test);
      else if (status === 'passed') passed.push(test);
    }
  }
  return { passed, failed };
}

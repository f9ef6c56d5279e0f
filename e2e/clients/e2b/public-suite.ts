import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { virtualEnvironment } from '../virtual-environment.ts';
import { PYTHON } from './published-clients.ts';

const run = promisify(execFile);

const PYTEST = ['pytest==9.2.0', 'pytest-asyncio==1.5.0', 'pytest-timeout==2.4.0', 'python-dotenv==1.2.4'];
/** Without the options of the suite itself, which need more programs. */
const OPTIONS = ['-q', '-o', 'addopts=--import-mode=importlib', '--timeout', '60', '-p', 'no:cacheprovider'];
/** They kill programs of systemd by name, which may be those of this machine. */
const LEFT_OUT = ['--ignore-glob=*_systemd.py'];
const RUN_MS = 1_500_000;

export interface SuiteResult {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

/**
 * Runs tests of a checkout with the published SDK.
 * @param suite directory that has pytest.ini
 */
export async function runSuite(
  suite: string,
  paths: readonly string[],
  env: Record<string, string>,
): Promise<SuiteResult> {
  const python = await virtualEnvironment('e2b-suite', [['install', '--quiet', ...PYTHON, ...PYTEST]]);
  // Not as a module of Python: that would import the package of the checkout instead of the published one.
  const pytest = join(dirname(python), 'pytest');
  await using directory = await mkdtempDisposable(join(tmpdir(), 'e2b-suite-'));
  const report = join(directory.path, 'report.xml');
  const all = { ...process.env, E2B_VALIDATE_API_KEY: 'false', PYTHONDONTWRITEBYTECODE: '1', ...env };
  const args = [...OPTIONS, ...LEFT_OUT, `--junitxml=${report}`, ...paths];
  // pytest ends with 1 if a test fails, which the report says too.
  await run(pytest, args, { cwd: suite, env: all, timeout: RUN_MS, maxBuffer: 64 * 1024 ** 2 }).catch(() => undefined);
  return resultOf(await readFile(report, 'utf8'));
}

function resultOf(xml: string): SuiteResult {
  const passed: string[] = [];
  const failed: string[] = [];
  for (const [, head = '', body = ''] of xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const [, file = ''] = /classname="([^"]*)"/.exec(head) ?? [];
    const [, name = ''] = /\bname="([^"]*)"/.exec(head) ?? [];
    (/<(?:failure|error)\b/.test(body) ? failed : passed).push(`${file.replace(/^tests\./, '')}.${name}`);
  }
  return { passed, failed };
}

/**
 * Patterns of tests that fail here, from lines `pattern: reason`; `*` stands for text without a dot, `**` for any text.
 * @param place `image` or `machine`: lines that begin with the other word in brackets do not count
 */
export async function expectedFailures(file: string, place: 'image' | 'machine'): Promise<readonly RegExp[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.flatMap((line) => {
    const [, only, pattern = ''] = /^(?:\[(\w+)\] )?([^:]+): \S/.exec(line) ?? [];
    if (only !== undefined && only !== place) return [];
    const parts = pattern.split('**').map((part) => part.replaceAll('.', '\\.').replaceAll('*', '[^.]*'));
    return [new RegExp(`^${parts.join('.*')}$`)];
  });
}

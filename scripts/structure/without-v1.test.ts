import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { type TempDir, tempDir } from '../testing/temp-dir.ts';
import { trackedFiles } from './tracked-files.ts';
import { copyWithoutV1, manifestWithoutV1 } from './tree-without.ts';

const run = promisify(execFile);

/**
 * Tests of v2 that run in the copy, of each capability those that take seconds. All of them run in the checkout; code
 * that needs v1 is found by the compiler and by the rules for imports, a route of v1 in a test by the test below.
 */
const REPRESENTATIVE = [
  'checkpoints/v2/routes',
  'code/v2/bounds',
  'commands/v2/begun',
  'commands/v2/environment',
  'files/v2/paths',
  'pty/v2/fields',
  'sandbox/v2/sandbox',
  'search/v2/routes',
  'timeline/v2/routes',
  'watch/v2/event-fields',
  'watch/v2/routes',
].map((name) => `daemon/src/capabilities/${name}.test.ts`);

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly name: string }[];
}

async function testsOfV2(): Promise<string[]> {
  return (await trackedFiles()).filter((file) => /^daemon\/src\/.*\/v2\/.*\.test\.ts$/.test(file)).sort();
}

test('a manifest loses its entry and its import of v1, and nothing else', () => {
  const manifest = `import { commandsV1 } from './v1/routes.ts';
import { commandsV2 } from './v2/routes.ts';

export const commands = defineCapability({
  name: 'commands',
  v2: commandsV2,
  v1: commandsV1,
});
`;
  expect(manifestWithoutV1(manifest)).toBe(`import { commandsV2 } from './v2/routes.ts';

export const commands = defineCapability({
  name: 'commands',
  v2: commandsV2,
});
`);
});

test('no test of v2 requests a route of v1', async () => {
  const texts = await Promise.all(
    (await testsOfV2()).map(async (file) => [file, await readFile(join(ROOT, file), 'utf8')] as const),
  );
  expect(texts.filter(([, text]) => /['"`}]\/v1\b/.test(text)).map(([file]) => file)).toEqual([]);
});

describe('a copy of the sources without v1', () => {
  let directory: TempDir;

  beforeAll(async () => {
    directory = await tempDir();
    await copyWithoutV1(ROOT, directory.path);
    // biome reads the ignored files from git.
    await run('git', ['init', '--quiet', directory.path]);
  });

  afterAll(() => directory[Symbol.asyncDispose]());

  /** Standard output and error of a program in the copy; rejects if it fails. */
  async function inCopy(program: string, ...args: string[]): Promise<string> {
    const cwd = directory.path;
    const env = { ...process.env, PATH: `${join(cwd, 'node_modules/.bin')}:${process.env['PATH']}` };
    const { stdout, stderr } = await run(program, args, { cwd, env, maxBuffer: 64 * 1024 ** 2 }).catch(
      ({ stdout: out, stderr: err }: { stdout: string; stderr: string }) => {
        throw new Error(`${program} ${args.join(' ')} failed:\n${out.slice(-10_000)}${err.slice(-10_000)}`);
      },
    );
    return stdout + stderr;
  }

  test('has none of it', () => {
    expect(existsSync(join(ROOT, 'daemon/src/capabilities/files/v1/routes.ts'))).toBe(true);
    expect(existsSync(join(directory.path, 'daemon/src/capabilities/files/v1'))).toBe(false);
    expect(existsSync(join(directory.path, 'daemon/src/capabilities/files/v2/routes.ts'))).toBe(true);
  });

  test.each([
    ['type-checks', ['tsc', '-p', '.']],
    ['lints', ['biome', 'check', '.']],
    ['has no unused file, export or dependency', ['knip']],
  ] as const)('%s', { timeout: 600_000 }, async (_name, [program, ...args]) => {
    await inCopy(program, ...args);
  });

  test('passes tests of v2 of each capability', { timeout: 1_800_000 }, async () => {
    const capabilities = (files: readonly string[]) => [...new Set(files.map((file) => file.split('/', 4).join('/')))];
    expect(capabilities(REPRESENTATIVE)).toEqual(capabilities(await testsOfV2()));
    const args = ['run', '--project', 'unit', '--reporter=default', '--reporter=json', '--outputFile=report.json'];
    await inCopy('vitest', ...args, ...REPRESENTATIVE);
    const report = await readFile(join(directory.path, 'report.json'), 'utf8');
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(report) as Report;
    expect(numFailedTests).toBe(0);
    expect(numPassedTests).toBeGreaterThan(0);
    expect(testResults.map(({ name }) => relative(directory.path, name)).sort()).toEqual(REPRESENTATIVE);
  });
});

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { build } from 'rolldown';
import { ROOT } from '../../../scripts/root.ts';
import { virtualEnvironment } from '../virtual-environment.ts';

const PACKAGES = [
  '@hey-api/openapi-ts@0.95.0',
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  // The generators need the compiler API of TypeScript 5.
  'typescript@5.9.3',
];
const PYTHON_GENERATOR = 'openapi-python-client==0.29.1';
const DIRECTORY = join(ROOT, 'dist/clients/generators');
const DOCUMENT = join(ROOT, 'docs/openapi/v2.json');
const run = promisify(execFile);

/** What a program of tasks exports. */
interface Tasks {
  readonly tenTasks: (url: string, key: string, directory: string) => Promise<string[]>;
}

async function installed(): Promise<void> {
  const stamp = join(DIRECTORY, `${PACKAGES.join(' ').replaceAll(/[@/]/g, '-')}.installed`);
  if (existsSync(stamp)) return;
  await mkdir(DIRECTORY, { recursive: true });
  await writeFile(join(DIRECTORY, 'package.json'), '{"private":true,"type":"module"}');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact'];
  await run('npm', ['install', ...options, ...PACKAGES], { cwd: DIRECTORY });
  await writeFile(stamp, '');
}

function generator(name: string, args: readonly string[]): Promise<unknown> {
  const cwd = DIRECTORY;
  return run(process.execPath, [join(DIRECTORY, 'node_modules', name), ...args], { cwd });
}

/** Generates with hey-api/openapi-ts, with its defaults. @returns the tasks, compiled in strict mode */
export async function heyTasks(): Promise<Tasks> {
  await installed();
  await generator('@hey-api/openapi-ts/bin/run.js', ['--input', DOCUMENT, '--output', join(DIRECTORY, 'hey')]);
  return compiled('ten-tasks-hey');
}

/** Generates with openapi-typescript, with its defaults, for openapi-fetch. @returns the tasks, compiled in strict mode */
export async function fetchTasks(): Promise<Tasks> {
  await installed();
  await generator('openapi-typescript/bin/cli.js', [DOCUMENT, '--output', join(DIRECTORY, 'v2-types.ts')]);
  return compiled('ten-tasks-fetch');
}

/** Copies a program beside the generated modules, checks the types of all, bundles it and imports it. */
async function compiled(name: string): Promise<Tasks> {
  const source = join(DIRECTORY, `${name}.ts`);
  await copyFile(join(import.meta.dirname, `${name}.txt`), source);
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2024'];
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--noUncheckedIndexedAccess',
    '--lib',
    'es2024,dom,dom.iterable',
  ];
  await run(join(ROOT, 'node_modules/.bin/tsc'), [...options, ...modules, '--types', '', source], { cwd: DIRECTORY });
  const file = join(DIRECTORY, `${name}.mjs`);
  await build({ input: source, platform: 'node', output: { file, format: 'esm' } });
  return import(file);
}

/** Generates with openapi-python-client, where a warning is an error, and runs the tasks. @returns their answers */
export async function pythonTasks(url: string, key: string, directory: string): Promise<string[]> {
  const python = await virtualEnvironment('openapi-python-client', [['install', '--quiet', PYTHON_GENERATOR]]);
  await mkdir(DIRECTORY, { recursive: true });
  const config = join(DIRECTORY, 'python.json');
  await writeFile(config, JSON.stringify({ post_hooks: [] }));
  const output = ['--output-path', join(DIRECTORY, 'pyc'), '--overwrite', '--meta', 'none'];
  const args = ['generate', '--path', DOCUMENT, ...output, '--config', config, '--fail-on-warning'];
  await run(join(dirname(python), 'openapi-python-client'), args, { cwd: DIRECTORY });
  await run(python, ['-m', 'compileall', '-q', join(DIRECTORY, 'pyc')]);
  const tasks = join(DIRECTORY, 'ten_tasks.py');
  await copyFile(join(import.meta.dirname, 'ten_tasks.py'), tasks);
  return JSON.parse((await run(python, [tasks, url, key, directory])).stdout);
}

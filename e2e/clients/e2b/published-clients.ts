import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../scripts/root.ts';
import { virtualEnvironment } from '../virtual-environment.ts';

const run = promisify(execFile);

export const PYTHON = ['e2b==2.63.0', 'e2b-code-interpreter==2.11.5'];
const NOTEBOOK = ['ipykernel==7.4.0', 'matplotlib==3.11.2', 'pandas==3.1.1', 'pillow==13.0.0'];
export const NPM = ['e2b@2.51.0', '@e2b/code-interpreter@2.8.0'];

/** The Python of a virtual environment with E2B's SDKs, unchanged. */
export function pythonWithE2b(): Promise<string> {
  return virtualEnvironment('e2b', [['install', '--quiet', ...PYTHON]]);
}

/** The directory of a Python with what analysts use, for the PATH of the service. */
export async function notebookPrograms(): Promise<string> {
  return dirname(await virtualEnvironment('e2b-notebook', [['install', '--quiet', ...NOTEBOOK]]));
}

/** A driver of this folder beside E2B's JavaScript SDKs, unchanged; their directory is made once. */
export async function driverWithE2b(name = 'drive.mjs'): Promise<string> {
  const directory = join(ROOT, 'dist/clients/e2b-npm');
  const stamp = join(directory, `${NPM.join(' ').replaceAll('/', '-')}.installed`);
  await mkdir(directory, { recursive: true });
  if (!existsSync(stamp)) {
    await writeFile(join(directory, 'package.json'), '{"name":"e2b-clients","private":true,"type":"module"}');
    await run('npm', ['install', '--silent', '--save-exact', '--ignore-scripts', ...NPM], { cwd: directory });
    await writeFile(stamp, '');
  }
  const driver = join(directory, name);
  await copyFile(join(import.meta.dirname, name), driver);
  return driver;
}

/**
 * Runs a driver to its end.
 * @throws Error with its last line of errors, which is the cause with Python, then all of them
 */
export async function drive(program: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const all = { ...process.env, E2B_VALIDATE_API_KEY: 'false', NODE_OPTIONS: '', ...env };
  try {
    return (await run(program, args, { env: all, timeout: 400_000 })).stdout;
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`${message.trimEnd().split('\n').at(-1)}\n${message}`, { cause: error });
  }
}

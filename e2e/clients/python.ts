import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../scripts/root.ts';

/** The published client, and what it imports; its further dependencies are for a cloud that no test uses. */
const CLIENT = ['agent-sandbox==0.0.30'];
const NEEDS = ['httpx==0.28.1', 'pydantic==2.14.3', 'typing-extensions==4.16.0'];

const run = promisify(execFile);

/** The Python of a virtual environment with the client; it is made once. */
export async function pythonWithClient(): Promise<string> {
  const directory = join(ROOT, 'dist/clients/python');
  const python = join(directory, 'bin/python');
  const stamp = join(directory, `${[...CLIENT, ...NEEDS].join(' ')}.installed`);
  if (existsSync(stamp)) return python;
  await mkdir(directory, { recursive: true });
  await run('python3', ['-m', 'venv', '--clear', directory]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--no-deps', ...CLIENT]);
  await run(python, ['-m', 'pip', 'install', '--quiet', ...NEEDS]);
  await writeFile(stamp, '');
  return python;
}

/** Runs the Python driver to its end. @throws Error with its output where a call does not answer as it should */
export async function drivePython(
  python: string,
  service: { readonly url: string; readonly key: string },
  mode: 'sync' | 'async',
  callers: number,
): Promise<string> {
  const args = [join(import.meta.dirname, 'drive.py'), service.url, service.key, mode, String(callers)];
  return (await run(python, args, { timeout: 400_000 })).stdout;
}

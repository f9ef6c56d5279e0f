import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { virtualEnvironment } from './virtual-environment.ts';

/** The published client, and what it imports; its further dependencies are for a cloud that no test uses. */
const CLIENT = ['agent-sandbox==0.0.30'];
const NEEDS = ['httpx==0.28.1', 'pydantic==2.14.3', 'typing-extensions==4.16.0'];

const run = promisify(execFile);

/** The Python of a virtual environment with the client. */
export function pythonWithClient(): Promise<string> {
  return virtualEnvironment('python', [
    ['install', '--quiet', '--no-deps', ...CLIENT],
    ['install', '--quiet', ...NEEDS],
  ]);
}

/** Runs the Python driver to its end. @throws Error with its output if a call does not answer as it should */
export async function drivePython(
  python: string,
  service: { readonly url: string; readonly key: string; readonly hasDisplay: boolean },
  mode: 'sync' | 'async',
  callers: number,
): Promise<string> {
  const { url, key, hasDisplay } = service;
  const args = [join(import.meta.dirname, 'drive.py'), url, key, mode, String(callers), hasDisplay ? 'yes' : 'no'];
  return (await run(python, args, { timeout: 400_000 })).stdout;
}

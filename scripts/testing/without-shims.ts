import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';

const SHIMS = /\/\.?pyenv(?:\/.*)?\/shims\/?$/;

/**
 * vitest runs this before the tests, and their processes inherit the environment: PATH has the interpreters of pyenv
 * instead of its shims. A shim starts dozens of processes, and a daemon that describes the sandbox runs each of them.
 */
export async function setup(): Promise<void> {
  const directories = (process.env['PATH'] ?? '').split(':');
  if (!directories.some((directory) => SHIMS.test(directory))) return;
  const prefixes = await promisify(execFile)('pyenv', ['prefix']).catch(() => undefined);
  // The shims serve too, slowly.
  if (prefixes === undefined) return;
  const own = prefixes.stdout
    .trim()
    .split(':')
    .map((prefix) => `${prefix}/bin`);
  const replaced = directories.flatMap((directory) => (SHIMS.test(directory) ? own : [directory]));
  process.env['PATH'] = [...new Set(replaced)].join(':');
}

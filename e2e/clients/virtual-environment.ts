import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../scripts/root.ts';

const run = promisify(execFile);

/**
 * The Python of a virtual environment in which these calls of pip have been made; it is made once.
 * @param calls arguments of pip, a list for each call
 */
export async function virtualEnvironment(name: string, calls: readonly (readonly string[])[]): Promise<string> {
  const directory = join(ROOT, 'dist/clients', name);
  const python = join(directory, 'bin/python');
  const stamp = join(
    directory,
    `${calls
      .flat()
      .filter((word) => word.includes('=='))
      .join(' ')}.installed`,
  );
  if (existsSync(stamp)) return python;
  await mkdir(directory, { recursive: true });
  await run('python3', ['-m', 'venv', '--clear', directory]);
  for (const call of calls) await run(python, ['-m', 'pip', ...call]);
  await writeFile(stamp, '');
  return python;
}

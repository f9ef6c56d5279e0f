import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '../root.ts';

const run = promisify(execFile);

/** Tracked and addable files, relative to the root, without deleted ones. */
export async function trackedFiles(): Promise<string[]> {
  const list = async (...flags: string[]): Promise<string[]> => {
    const { stdout } = await run('git', ['ls-files', '-z', ...flags], { cwd: ROOT, maxBuffer: 64 * 1024 ** 2 });
    return stdout.split('\0').filter((file) => file !== '');
  };
  const deleted = new Set(await list('--deleted'));
  const files = await list('--cached', '--others', '--exclude-standard');
  return files.filter((file) => !deleted.has(file));
}

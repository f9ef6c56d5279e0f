import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Where changes are counted from, the first that exists. */
const TRUNKS = ['main', 'origin/main'];

/** Test files that differ from the merge base with `base`, uncommitted and new ones included; deleted ones left out. */
export async function changedTests(root: string, base?: string): Promise<string[]> {
  const from = await mergeBase(root, base === undefined ? TRUNKS : [base]);
  const changed = await git(root, 'diff', '--name-only', '-z', '--diff-filter=d', from);
  const added = await git(root, 'ls-files', '-z', '--others', '--exclude-standard');
  const files = `${changed}${added}`.split('\0').filter((file) => file.endsWith('.test.ts'));
  return [...new Set(files)].sort();
}

async function mergeBase(root: string, revisions: readonly string[]): Promise<string> {
  for (const revision of revisions) {
    const found = await git(root, 'merge-base', 'HEAD', revision).catch(() => undefined);
    if (found !== undefined) return found.trim();
  }
  throw new Error(`no merge base with ${revisions.join(' or ')}: name another revision with --base`);
}

async function git(root: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)('git', args, { cwd: root, maxBuffer: 64 * 1024 ** 2 })).stdout;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { type Context, type Terminal, UsageError } from '../command-spec.ts';

/** Opens a file of the sandbox in the editor of this machine, and writes it back if it was changed. */
export async function edit({ sandbox, args: [path = ''], print, terminal: { env, stderr } }: Context): Promise<number> {
  const name = basename(path);
  if (name === '' || name === '.' || name === '..') throw new UsageError(`not a file: ${path}`);
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-edit-'));
  const local = join(directory, name);
  const isNew = !(await sandbox.files.exists(path));
  if (!isNew) await sandbox.files.download(path, local);
  const before = isNew ? undefined : await readFile(local);
  const code = await runEditor(env, local);
  const after = await readFile(local).catch(() => undefined);
  const isChanged = after !== undefined && (before === undefined || !before.equals(after));
  if (code !== 0 || !isChanged) {
    await rm(directory, { recursive: true });
    print(code === 0 ? 'not changed\n' : '', { path, changed: false });
    if (code !== 0) stderr.write(`sandbox: the editor exited with ${code}, so that nothing was written\n`);
    return code;
  }
  try {
    await requireUnchanged(sandbox.files, path, before);
    await sandbox.files.upload(local, { to: path });
  } catch (error) {
    stderr.write(`sandbox: what you wrote is in ${local}\n`);
    throw error;
  }
  await rm(directory, { recursive: true });
  print(`written: ${path}\n`, { path, changed: true });
  return 0;
}

/** @throws Error if the file in the sandbox is not the one that was opened */
async function requireUnchanged(
  files: Context['sandbox']['files'],
  path: string,
  before: Buffer | undefined,
): Promise<void> {
  const now = (await files.exists(path)) ? Buffer.from(await files.bytes(path)) : undefined;
  const isSame = now === undefined || before === undefined ? now === before : before.equals(now);
  if (!isSame) throw new Error(`${path} was changed in the sandbox since it was opened`);
}

/** As git and crontab do: VISUAL, EDITOR, vi; a value may have arguments. */
async function runEditor(env: Terminal['env'], file: string): Promise<number> {
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi';
  // Ctrl-C is the editor's: neither the shell nor this process ends by it, from before the editor runs.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    const child = spawn('sh', ['-c', `trap : INT; ${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    return typeof code === 'number' ? code : 1;
  } finally {
    process.off('SIGINT', ignore);
  }
}

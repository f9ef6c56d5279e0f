import { builtin } from '../core/builtin.ts';
import { RequestFailed, SandboxError } from '../core/errors.ts';
import {
  Pool,
  type RemoteEntry,
  type RemoteFiles,
  staysBelow,
  Tally,
  type TreeOptions,
  type TreeReport,
} from './tree.ts';

/** Copies a remote directory file by file, so that a cut costs no file that was complete. */
export async function pull(
  files: RemoteFiles,
  remote: string,
  local: string,
  options: TreeOptions,
): Promise<TreeReport> {
  const { mkdir } = await builtin('node:fs/promises');
  const tally = new Tally();
  const pool = new Pool(options.concurrency ?? 8);
  await mkdir(local, { recursive: true });
  for await (const entry of files.walk(remote, { signal: options.signal })) {
    const name = relativeName(remote, entry.path);
    if (entry.pathB64 !== undefined) tally.skipped.push(entry.path);
    else if (entry.isSymlink) await pullLink(files, entry, { local, name }, tally);
    else if (entry.isDirectory) await pullDirectory({ local, name }, tally);
    else await pool.add(() => pullFile(files, entry, { local, name }, tally, options));
  }
  await pool.end();
  return tally;
}

interface Place {
  readonly local: string;
  /** Relative, with slashes. */
  readonly name: string;
}

/** @throws SandboxError for a name that would leave the target */
function relativeName(remote: string, path: string): string {
  const root = remote.endsWith('/') ? remote : `${remote}/`;
  const name = path.startsWith(root) ? path.slice(root.length) : '';
  const isPlain = name !== '' && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  if (isPlain && !(isWindows() && /[\\:]/.test(name))) return name;
  throw new SandboxError(`the name leaves the target: ${path}`);
}

function isWindows(): boolean {
  return (globalThis as { readonly process?: { readonly platform?: string } }).process?.platform === 'win32';
}

async function pullDirectory(place: Place, tally: Tally): Promise<void> {
  const { mkdir } = await builtin('node:fs/promises');
  await mkdir(await safePath(place), { recursive: true });
  tally.directories++;
}

async function pullFile(
  files: RemoteFiles,
  entry: RemoteEntry,
  place: Place,
  tally: Tally,
  options: TreeOptions,
): Promise<void> {
  const { chmod } = await builtin('node:fs/promises');
  if (!entry.permissions.startsWith('-')) {
    tally.skipped.push(entry.path);
    return;
  }
  const path = await safePath(place);
  await files.download(entry.path, path, { signal: options.signal });
  await chmod(path, modeOf(entry.permissions));
  tally.files++;
  tally.bytes += entry.size;
  options.onFile?.(place.name);
}

async function pullLink(files: RemoteFiles, entry: RemoteEntry, place: Place, tally: Tally): Promise<void> {
  const { rm, symlink } = await builtin('node:fs/promises');
  const target = await targetOf(files, entry);
  if (target === null || !staysBelow(place.name, target)) {
    tally.skipped.push(entry.path);
    return;
  }
  const path = await safePath(place);
  await rm(path, { force: true });
  await symlink(target, path);
  tally.files++;
}

/** Null also for a link that leads out of what the key is good for. */
async function targetOf(files: RemoteFiles, entry: RemoteEntry): Promise<string | null> {
  try {
    return (await files.stat(entry.path, { followLinks: false })).symlinkTarget;
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 403) return null;
    throw error;
  }
}

/** The local path, whose directory is really below the target: no link leads elsewhere. */
async function safePath({ local, name }: Place): Promise<string> {
  const { realpath } = await builtin('node:fs/promises');
  const { dirname, join, relative, isAbsolute } = await builtin('node:path');
  const path = join(local, name);
  const below = relative(await realpath(local), await realpath(dirname(path)));
  if (below.startsWith('..') || isAbsolute(below)) {
    throw new SandboxError(`a link of the target leads out of it: ${path}`, { hint: 'remove the link' });
  }
  return path;
}

/** The bits of `-rwxr-xr-x`. */
function modeOf(permissions: string): number {
  return [...permissions.slice(1, 10)].reduce((mode, letter) => mode * 2 + (/[rwxst]/.test(letter) ? 1 : 0), 0);
}

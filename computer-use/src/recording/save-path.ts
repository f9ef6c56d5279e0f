import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ignore } from '@sandbox/program/ignore.ts';

const DIRECTORY = '/tmp/recordings';

/** `/tmp/recordings/recording_20260102_030405_678.mp4`, by the time in UTC. */
function defaultPath(now: Date): string {
  const digits = now.toISOString().replaceAll(/[-:Z]/g, '').replace('T', '_').replace('.', '_');
  return join(DIRECTORY, `recording_${digits}.mp4`);
}

/**
 * Creates the file of a recording, or empties the regular file of that name.
 * @returns its path
 * @throws SandboxError if it cannot be written
 */
export async function prepareFile(savePath: string | undefined): Promise<string> {
  const path = normalize(savePath ?? defaultPath(new Date()));
  if (!isAbsolute(path)) throw wrong('is not an absolute path');
  if (path.includes('\0')) throw wrong('contains a NUL character');
  if (!path.toLowerCase().endsWith('.mp4')) throw wrong('does not end with .mp4');
  try {
    await mkdir(dirname(path), { recursive: true });
    const known = await stat(path).catch(() => undefined);
    if (known && !known.isFile()) throw wrong('is not a regular file');
    await using _file = await open(path, 'w');
  } catch (error) {
    if (error instanceof SandboxError) throw error;
    throw failure(path, error);
  }
  return path;
}

/** Removes the file of a recording that did not begin. */
export async function removeEmpty(path: string): Promise<void> {
  const isEmpty = await stat(path).then(
    ({ size }) => size === 0,
    () => false,
  );
  if (isEmpty) await rm(path, { force: true }).catch(ignore);
}

function wrong(why: string, cause?: unknown): SandboxError {
  return new SandboxError('invalid', why, { field: 'savePath', cause });
}

function failure(path: string, error: unknown): SandboxError {
  const code = String(Object(error).code);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new SandboxError('disk_full', `no space left for ${path}`, { cause: error });
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const why = `cannot be written by the account of the worker: ${path}`;
    return new SandboxError('forbidden', why, { field: 'savePath', cause: error });
  }
  return wrong(`cannot be written: ${path} (${code})`, error);
}

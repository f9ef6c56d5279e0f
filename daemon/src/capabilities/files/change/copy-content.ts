import { closeSync, constants, ftruncate, openSync, read, type Stats, write } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { systemCodeOf } from '../../../core/files/file-failure.ts';
import type { FilePath } from '../../../core/files/file-path.ts';
import { descriptorPath } from '../../../core/files/place/held-directory.ts';

/** Bytes of a file that one system call copies: the work that a caller who leaves cannot end. */
const WHOLE_BYTES = 8 * 1024 ** 2;
const PIECE_BYTES = 1024 ** 2;
/** Most file systems have blocks of that size; a hole is at least one. */
const BLOCK_BYTES = 4096;
const ZEROS = Buffer.alloc(PIECE_BYTES);

const { COPYFILE_EXCL, COPYFILE_FICLONE, COPYFILE_FICLONE_FORCE, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const [readAsync, writeAsync, ftruncateAsync] = [promisify(read), promisify(write), promisify(ftruncate)];

/**
 * Copies the content of an open file to a new one. Holes stay holes: blocks of zeros of a sparse file are not written.
 * Where the file system shares blocks, it does. Memory: 1 MiB.
 * @throws the reason of the signal once it fires, and as the system calls do
 */
export async function copyContent(
  source: { readonly descriptor: number; readonly at: FilePath; readonly stats: Stats },
  target: FilePath,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { descriptor, at, stats } = source;
  signal?.throwIfAborted();
  const isSparse = stats.blocks * 512 < stats.size;
  const path = descriptorPath(descriptor, at);
  if (!isSparse && stats.size <= WHOLE_BYTES) {
    await copyFile(path, target, COPYFILE_EXCL | COPYFILE_FICLONE);
    return;
  }
  if (await isCloned(path, target)) return;
  const made = openSync(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await copyPieces(descriptor, made, stats.size, isSparse, signal);
  } finally {
    closeSync(made);
  }
}

async function isCloned(path: FilePath, target: FilePath): Promise<boolean> {
  try {
    await copyFile(path, target, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE);
    return true;
  } catch (error) {
    const code = systemCodeOf(error) ?? '';
    if (!['ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EINVAL', 'ENOSYS', 'ENOTTY', 'EPERM', 'ETXTBSY'].includes(code))
      throw error;
    return false;
  }
}

async function copyPieces(
  from: number,
  to: number,
  size: number,
  isSparse: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  let at = 0;
  while (at < size) {
    signal?.throwIfAborted();
    const { bytesRead } = await readAsync(from, buffer, 0, Math.min(PIECE_BYTES, size - at), at);
    if (bytesRead === 0) break;
    const piece = buffer.subarray(0, bytesRead);
    for (const { start, end } of isSparse ? dataIn(piece) : [{ start: 0, end: bytesRead }]) {
      for (let done = start; done < end; ) {
        done += (await writeAsync(to, piece, done, end - done, at + done)).bytesWritten;
      }
    }
    at += bytesRead;
  }
  // The last block may be a hole.
  await ftruncateAsync(to, at);
}

/** The ranges of a piece that have blocks other than zeros; neighbours are one range. */
function dataIn(piece: Buffer): { start: number; end: number }[] {
  if (piece.equals(ZEROS.subarray(0, piece.length))) return [];
  const ranges: { start: number; end: number }[] = [];
  for (let start = 0; start < piece.length; start += BLOCK_BYTES) {
    const end = Math.min(start + BLOCK_BYTES, piece.length);
    if (piece.compare(ZEROS, 0, end - start, start, end) === 0) continue;
    const last = ranges.at(-1);
    if (last?.end === start) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}

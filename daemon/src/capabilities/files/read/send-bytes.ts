import { fstatSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { asFileFailure } from '../../../core/files/file-failure.ts';
import { type FilePath, shownPath } from '../../../core/files/file-path.ts';
import { etagOf } from '../etag.ts';
import type { OpenFile } from './open-file.ts';

/** Bytes of one read: large, because each read and write has a fixed cost. Two buffers are in use at once. */
const PIECE_BYTES = 512 * 1024;

/** The reaction to a file that changes during its transfer. */
export type ChangePolicy = 'ignore' | 'abort';

/**
 * Bytes of an open file; the next piece is read while one is sent. A piece is valid until the second one after it is
 * read.
 * @throws SandboxError `conflict` if the file changed and the policy is `abort`, or if it got shorter
 */
export async function* sendBytes(
  file: OpenFile,
  path: FilePath,
  { start, end, policy }: { start: number; end: number; policy: ChangePolicy },
): AsyncGenerator<Buffer> {
  const before = etagOf(file.stats);
  const size = Math.min(PIECE_BYTES, end - start);
  const buffers = [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(end - start > size ? size : 0)] as const;
  let pending = readPiece(file, path, buffers[0], start, end);
  for (let at = start, turn = 1; at < end; turn ^= 1) {
    const piece = await pending;
    if (policy === 'abort' && etagOf(fstatSync(file.descriptor, { bigint: true })) !== before) throw changed(path);
    if (piece.length === 0) throw changed(path);
    at += piece.length;
    if (at < end) {
      pending = readPiece(file, path, turn === 0 ? buffers[0] : buffers[1], at, end);
      pending.catch(() => undefined);
    }
    try {
      yield piece;
    } finally {
      if (at < end) await pending.catch(() => undefined);
    }
  }
}

/** Fills the buffer, so that only the last piece is short: a short one might be reused before it is written. */
async function readPiece(file: OpenFile, path: FilePath, buffer: Buffer, from: number, end: number): Promise<Buffer> {
  const length = Math.min(buffer.length, end - from);
  let filled = 0;
  try {
    while (filled < length) {
      const count = await file.readAt(buffer.subarray(filled), from + filled, length - filled);
      if (count === 0) break;
      filled += count;
    }
  } catch (error) {
    throw asFileFailure(error, 'download', shownPath(path));
  }
  return buffer.subarray(0, filled);
}

function changed(path: FilePath): SandboxError {
  return new SandboxError('conflict', `the file changed while it was sent: ${shownPath(path)}`, {
    data: { path: shownPath(path) },
    hint: 'download it again',
  });
}

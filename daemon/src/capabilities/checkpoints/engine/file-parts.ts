import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { PIECE_BYTES } from '../../../core/process/tree/tree-frames.ts';
import type { TreeObject } from '../tree/compare.ts';
import type { FilePart } from './engine-protocol.ts';

/**
 * The parts of a file, in order: bytes of pieces, and zeros of holes. A piece that has several extents is several parts.
 * @throws SandboxError `invalid` if it is not a file, `not_found` if its content was not read
 */
export function filePartsOf({ entry, content }: TreeObject): FilePart[] {
  if (entry.kind !== 'f') {
    throw new SandboxError('invalid', 'the path is not a regular file in the checkpoint', {
      hint: 'restore it, or read a file below it',
    });
  }
  if (!content?.pieces) {
    throw new SandboxError('not_found', 'the content of the file could not be read for the checkpoint', {
      hint: 'take another checkpoint as an account that may read it (user)',
    });
  }
  const { pieces, extents = [{ offset: 0, length: entry.size }] } = content;
  const parts: FilePart[] = [];
  let [at, stored] = [0, 0];
  for (const { offset, length } of extents) {
    if (offset > at) parts.push({ zeros: offset - at });
    for (let left = length; left > 0; ) {
      const from = stored % PIECE_BYTES;
      const count = Math.min(left, PIECE_BYTES - from);
      parts.push({ hash: pieces[Math.floor(stored / PIECE_BYTES)] ?? '', from, length: count });
      stored += count;
      left -= count;
    }
    at = offset + length;
  }
  if (at < entry.size) parts.push({ zeros: entry.size - at });
  return parts;
}

import { createHash, type Hash } from 'node:crypto';
import { releaseBuffer } from '@sandbox/program/release-buffer.ts';
import type { PartFile } from '../parts/part-file.ts';

/** Bytes that are gathered before they are written: what a network gives at once is small. */
const BATCH_BYTES = 512 * 1024;

/**
 * Appends what comes to a part, in large writes that overlap with the reading.
 * @param source gives its pieces away: their memory is freed once they are written
 * @param limit bytes after which the source has to end
 * @returns whether it ended within them
 */
export async function spool(
  source: AsyncIterable<Buffer>,
  part: PartFile,
  { hash, limit = Number.POSITIVE_INFINITY }: { hash?: Hash | undefined; limit?: number } = {},
): Promise<boolean> {
  const end = part.length + limit;
  let batch: Buffer[] = [];
  let size = 0;
  let writing: Promise<void> = Promise.resolve();
  let isWithin = true;
  const flush = async (): Promise<void> => {
    await writing;
    writing = append(part, batch);
    writing.catch(() => undefined);
    [batch, size] = [[], 0];
  };
  let received = part.length;
  try {
    for await (const piece of source) {
      received += piece.length;
      if (received > end) {
        isWithin = false;
        break;
      }
      hash?.update(piece);
      batch.push(piece);
      size += piece.length;
      if (size >= BATCH_BYTES) await flush();
    }
  } finally {
    await flush();
    await writing;
  }
  return isWithin;
}

async function append(part: PartFile, pieces: readonly Buffer[]): Promise<void> {
  await part.write([...pieces]);
  pieces.forEach(releaseBuffer);
}

export function newHash(): Hash {
  return createHash('sha256');
}

/** Of a file that was written in several pieces. */
export async function hashOf(part: PartFile): Promise<string> {
  const hash = newHash();
  for await (const bytes of part.read()) hash.update(bytes);
  return hash.digest('hex');
}

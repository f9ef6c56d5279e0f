import { createHash, type Hash } from 'node:crypto';
import { releaseBuffer } from '@sandbox/program/release-buffer.ts';
import type { PartFile } from '../parts/part-file.ts';

/** Bytes that are collected before a write: single reads from the network are small. */
const BATCH_BYTES = 512 * 1024;

/**
 * Appends the source to a part, in large writes that overlap with the reads.
 * @param source its pieces are released once they are written
 * @param limit most bytes of the source
 * @returns whether the source ended within the limit
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

/** SHA-256 of the content of a part, as hexadecimal text. */
export async function hashOf(part: PartFile): Promise<string> {
  const hash = newHash();
  for await (const bytes of part.read()) hash.update(bytes);
  return hash.digest('hex');
}

import type { FilePart } from './engine-protocol.ts';
import type { EngineThread } from './engine-thread.ts';

/** Bytes of zeros that a hole is sent as at once. */
const ZEROS_BYTES = 256 * 1024;
const ZEROS = Buffer.alloc(ZEROS_BYTES);

/** The bytes of a file of a checkpoint, as they are taken. */
export async function* storedBytes(engine: EngineThread, parts: readonly FilePart[]): AsyncGenerator<Uint8Array> {
  let [hash, piece]: [string, Uint8Array] = ['', ZEROS];
  for (const part of parts) {
    if ('zeros' in part) {
      yield* zeros(part.zeros);
      continue;
    }
    // The extents of a sparse file are parts of the same piece.
    if (part.hash !== hash) [hash, piece] = [part.hash, await engine.call('piece', part.hash)];
    yield piece.subarray(part.from, part.from + part.length);
  }
}

function* zeros(length: number): Iterable<Uint8Array> {
  for (let left = length; left > 0; left -= ZEROS_BYTES) yield ZEROS.subarray(0, Math.min(left, ZEROS_BYTES));
}

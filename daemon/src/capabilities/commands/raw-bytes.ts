import type { ByteLog } from '../../core/byte-log.ts';

/** Bytes of one read: large, since a read and a write cost the same whatever their size. */
const READ_BYTES = 1024 ** 2;

/** The bytes of a stream between two offsets, as far as they are still kept. */
export async function* rawBytes(log: ByteLog, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const { offset, bytes } = await log.read(at, Math.min(READ_BYTES, to - at));
    const kept = bytes.subarray(0, Math.max(0, to - offset));
    if (kept.length === 0) return;
    yield kept;
    at = offset + kept.length;
  }
}

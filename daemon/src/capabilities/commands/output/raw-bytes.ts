import { SandboxError } from '../../../core/errors.ts';
import type { ByteLog } from '../../../core/output/byte-log.ts';

/** Bytes of one read: large, since a read and a write cost the same whatever their size. */
const READ_BYTES = 1024 ** 2;
/** A smaller piece may still wait to be written when the next one is read, and gets memory of its own. */
const REUSE_BYTES = 128 * 1024;

/**
 * The bytes of a stream between two offsets that lie together. A piece is valid until the next one is asked for.
 * @throws SandboxError `not_found` where retention takes bytes away meanwhile: the answer has to be cut
 */
export async function* rawBytes(log: ByteLog, from: number, to: number): AsyncGenerator<Buffer> {
  const buffer = to - from > REUSE_BYTES ? Buffer.allocUnsafeSlow(READ_BYTES) : undefined;
  for (let at = from; at < to; ) {
    const wanted = Math.min(READ_BYTES, to - at);
    const { offset, bytes } = await log.read(at, wanted, wanted > REUSE_BYTES ? buffer : undefined);
    if (offset !== at || bytes.length === 0) throw new SandboxError('not_found', `the bytes from ${at} on are gone`);
    yield bytes.length > REUSE_BYTES ? bytes : Buffer.from(bytes);
    at += bytes.length;
  }
}

import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { ByteLog } from '../../../core/output/byte-log.ts';
import type { OutputLog } from '../../../core/output/output-log.ts';
import type { StreamName } from './follow.ts';

/** Bytes of one read: large, since the cost of a read and a write hardly depends on their size. */
const READ_BYTES = 1024 ** 2;
/** A smaller piece may still wait in the socket when the next one is read, so that it needs memory of its own. */
const REUSE_BYTES = 128 * 1024;

export interface RawRequest {
  readonly stream: StreamName;
  readonly offset: number;
  /** Bytes; undefined: all. */
  readonly limit: number | undefined;
}

/** Bytes of one stream without a gap between them. */
export interface RawRange {
  readonly first: number;
  /** The offset after the last byte. */
  readonly next: number;
  /**
   * A piece is valid until the next one is asked for.
   * @throws SandboxError `not_found` if retention dropped bytes meanwhile: the answer has to be cut
   */
  readonly bytes: AsyncGenerator<Buffer>;
}

/** The bytes from the offset, or from the next byte that is still kept, up to the next gap or the end. */
export function rawRange(output: OutputLog, { stream, offset, limit }: RawRequest): RawRange {
  const log = output[stream];
  const { start: first, end } = log.contiguousFrom(offset);
  const next = limit === undefined ? end : Math.min(end, first + limit);
  return { first, next, bytes: rawBytes(log, first, next) };
}

async function* rawBytes(log: ByteLog, from: number, to: number): AsyncGenerator<Buffer> {
  const buffer = to - from > REUSE_BYTES ? Buffer.allocUnsafeSlow(READ_BYTES) : undefined;
  for (let at = from; at < to; ) {
    const wanted = Math.min(READ_BYTES, to - at);
    const { offset, bytes } = await log.read(at, wanted, wanted > REUSE_BYTES ? buffer : undefined);
    if (offset !== at || bytes.length === 0) throw new SandboxError('not_found', `the bytes from ${at} on are gone`);
    yield bytes.length > REUSE_BYTES ? bytes : Buffer.from(bytes);
    at += bytes.length;
  }
}

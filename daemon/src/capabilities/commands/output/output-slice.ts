import type { ByteLog } from '../../../core/output/byte-log.ts';
import { jsonBeginning } from '../../../core/output/json-size.ts';
import { incompleteTail, MAX_SEQUENCE } from '../../../core/output/text-slice.ts';
import { ANSWER_BYTES } from './excerpt.ts';

/** A part of one stream, read from an offset. */
export interface OutputSlice {
  readonly bytes: Buffer;
  /** The offset of the next read. */
  readonly next: number;
  /** Offset of the first byte that was there: past the requested one where bytes were dropped. */
  readonly first: number;
}

/**
 * Reads from an offset, or from the next byte that is still kept.
 * @param limit bytes, at most 8 MiB; text may exceed it by the three bytes that complete its last sequence
 * @param asText takes at most 8 MiB in JSON, and ends with a whole UTF-8 sequence, unless the rest of the last one cannot
 *   come any more
 */
export async function sliceOf(log: ByteLog, offset: number, limit: number, asText: boolean): Promise<OutputSlice> {
  const { end, first: oldest } = log;
  if (offset >= end || limit === 0) return { bytes: Buffer.alloc(0), next: end, first: oldest };
  const budget = Math.min(limit, ANSWER_BYTES);
  const start = await log.read(offset, budget);
  const parts = [start.bytes];
  let next = start.offset + start.bytes.length;
  for (let left = budget - start.bytes.length; left > 0 && next < end; ) {
    const more = await log.read(next, left);
    if (more.bytes.length === 0 || more.offset > next) break;
    parts.push(more.bytes);
    next += more.bytes.length;
    left -= more.bytes.length;
  }
  const bytes = parts.length === 1 ? start.bytes : Buffer.concat(parts);
  const slice = { bytes, next, first: start.offset > offset ? start.offset : oldest };
  return asText ? await wholeSequences(log, fitting(slice)) : slice;
}

function fitting(slice: OutputSlice): OutputSlice {
  const bytes = jsonBeginning(slice.bytes, ANSWER_BYTES);
  return { ...slice, bytes, next: slice.next - (slice.bytes.length - bytes.length) };
}

async function wholeSequences(log: ByteLog, slice: OutputSlice): Promise<OutputSlice> {
  const cut = incompleteTail(slice.bytes);
  if (cut === 0 || (log.sealed && slice.next >= log.end)) return slice;
  if (cut < slice.bytes.length) {
    return { ...slice, bytes: slice.bytes.subarray(0, slice.bytes.length - cut), next: slice.next - cut };
  }
  return await completed(log, slice);
}

/** Reads a whole sequence, so that a limit shorter than one does not stop the reader. */
async function completed(log: ByteLog, slice: OutputSlice): Promise<OutputSlice> {
  let { bytes, next } = slice;
  while (incompleteTail(bytes) > 0 && bytes.length < MAX_SEQUENCE && next < log.end) {
    const more = await log.read(next, 1);
    if (more.offset !== next || more.bytes.length === 0) break;
    bytes = Buffer.concat([bytes, more.bytes]);
    next += 1;
  }
  if (incompleteTail(bytes) > 0 && !log.sealed) {
    return { ...slice, bytes: Buffer.alloc(0), next: slice.next - slice.bytes.length };
  }
  return { ...slice, bytes, next };
}

/**
 * The difference of two lists of records: parts that are copied from the base, and bytes. A directory of which one file
 * has changed takes some hundred bytes so, and not all its records again.
 */

const COPY = 0;
const INSERT = 1;
const HASH_BYTES = 32;

interface Run {
  from: number;
  length: number;
}

/** `records` as the hash of the base and the differences to it. @param hash a character a byte */
export function encodeDelta(hash: string, base: readonly Buffer[], records: readonly Buffer[]): Buffer {
  const starts = new Map<string, number>();
  let offset = 0;
  for (const record of base) {
    starts.set(record.toString('latin1'), offset);
    offset += record.length;
  }
  const parts: Buffer[] = [Buffer.from(hash, 'latin1')];
  let run: Run | undefined;
  const flush = (): void => {
    if (run) parts.push(operation(COPY, run.from, run.length));
    run = undefined;
  };
  for (const record of records) {
    const from = starts.get(record.toString('latin1'));
    if (from !== undefined && run && run.from + run.length === from) {
      run.length += record.length;
      continue;
    }
    flush();
    if (from === undefined) parts.push(operation(INSERT, 0, record.length), record);
    else run = { from, length: record.length };
  }
  flush();
  return Buffer.concat(parts);
}

/** The hash of the base of a delta, a character a byte. */
export function baseOf(delta: Buffer): string {
  return delta.toString('latin1', 0, HASH_BYTES);
}

/** @throws RangeError if the delta does not fit the base */
export function applyDelta(delta: Buffer, base: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = HASH_BYTES; at < delta.length; ) {
    const [kind, from, length] = [delta.readUInt8(at), delta.readUInt32LE(at + 1), delta.readUInt32LE(at + 5)];
    at += 9;
    const source = kind === COPY ? base : delta;
    const start = kind === COPY ? from : at;
    if (start + length > source.length) throw new RangeError('a delta beyond the end of its base');
    parts.push(source.subarray(start, start + length));
    if (kind === INSERT) at += length;
  }
  return Buffer.concat(parts);
}

function operation(kind: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes.writeUInt8(kind, 0);
  bytes.writeUInt32LE(from, 1);
  bytes.writeUInt32LE(length, 5);
  return bytes;
}

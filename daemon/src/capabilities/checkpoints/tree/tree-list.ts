/** The directories of a checkpoint: the hash of the segment of each, by path; paths are byte strings. */
export type TreeList = ReadonlyMap<string, string>;

const HASH_BYTES = 32;

export function listRecords(list: TreeList): Buffer[] {
  return Array.from(list, ([path, hash]) => {
    const record = Buffer.alloc(4 + path.length + HASH_BYTES);
    record.writeUInt32LE(path.length, 0);
    record.write(path, 4, 'latin1');
    record.write(hash, 4 + path.length, 'latin1');
    return record;
  });
}

/** The same records of its bytes. @throws RangeError if they are not well formed */
export function splitList(bytes: Buffer): Buffer[] {
  const records: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32LE(at) + HASH_BYTES;
    if (end > bytes.length) throw new RangeError('a list of directories beyond its end');
    records.push(bytes.subarray(at, end));
    at = end;
  }
  return records;
}

export function parseList(bytes: Buffer): Map<string, string> {
  return new Map(
    splitList(bytes).map((record) => {
      const end = record.length - HASH_BYTES;
      return [record.toString('latin1', 4, end), record.toString('latin1', end)];
    }),
  );
}

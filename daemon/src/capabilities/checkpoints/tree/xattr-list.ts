/** An extended attribute; the name is a byte string. */
export type Xattr = readonly [name: string, value: Uint8Array];

/** The attributes of a list in the form of `keeper-tree` (`docs/keeper.md`). */
export function* attributesIn(list: Uint8Array): Iterable<readonly [name: string, value: Buffer]> {
  const bytes = Buffer.from(list.buffer, list.byteOffset, list.length);
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const valueEnd = nameEnd + 4 + bytes.readUInt32LE(nameEnd);
    yield [bytes.toString('latin1', at + 1, nameEnd), bytes.subarray(nameEnd + 4, valueEnd)];
    at = valueEnd;
  }
}

export function xattrList(attributes: readonly Xattr[]): Buffer {
  return Buffer.concat(
    attributes.flatMap(([name, value]) => {
      const head = Buffer.alloc(1 + name.length + 4);
      head.writeUInt8(name.length, 0);
      head.write(name, 1, 'latin1');
      head.writeUInt32LE(value.length, 1 + name.length);
      return [head, value];
    }),
  );
}

/** Whether lists have the same attributes; a file system lists them in an order of its own. */
export function areSameXattrs(a: Buffer, b: Buffer): boolean {
  if (a.equals(b)) return true;
  return a.length === b.length && sorted(a).equals(sorted(b));
}

function sorted(list: Buffer): Buffer {
  return xattrList([...attributesIn(list)].sort(([one], [other]) => (one < other ? -1 : 1)));
}

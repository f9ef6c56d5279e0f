import { type Entry, type EntryKind, entryAt } from './entry.ts';

/** What the record of an object has; `name` and `target` are byte strings. */
export type EntryFields = Pick<
  Entry,
  'name' | 'mode' | 'uid' | 'gid' | 'size' | 'mtime' | 'inode' | 'links' | 'rdev' | 'target' | 'lacksXattrs'
> & { readonly kind: EntryKind; readonly xattrs: Uint8Array };

/** Bytes of a record without name, target and attributes. */
export const ENTRY_BYTES = 78;

/** The record of an object that no walk has seen: its device is 0, and it was never changed. */
export function entryOf(fields: EntryFields): Entry {
  const { kind, name, mode, uid, gid, size, mtime, inode, links, rdev, target, xattrs, lacksXattrs } = fields;
  const bytes = Buffer.alloc(ENTRY_BYTES + name.length + target.length + xattrs.length);
  bytes.write(kind, 0, 'latin1');
  bytes.writeUInt8(lacksXattrs ? 1 : 0, 1);
  bytes.writeUInt32LE(name.length, 2);
  let at = 6 + bytes.write(name, 6, 'latin1');
  for (const number of [mode, uid, gid]) at = bytes.writeUInt32LE(number, at);
  at = bytes.writeBigUInt64LE(BigInt(size), at);
  at = bytes.writeBigInt64LE(mtime, at);
  at = bytes.writeBigInt64LE(0n, at);
  at = bytes.writeBigUInt64LE(0n, at);
  at = bytes.writeBigUInt64LE(inode, at);
  at = bytes.writeUInt32LE(links, at);
  at = bytes.writeBigUInt64LE(rdev, at);
  at = bytes.writeUInt32LE(target.length, at);
  at += bytes.write(target, at, 'latin1');
  at = bytes.writeUInt32LE(xattrs.length, at);
  bytes.set(xattrs, at);
  return entryAt(bytes, 0);
}

import type { TarEntry } from '../../../core/files/tar/read-entries.ts';
import { UNREAD_RECORD, XATTR } from '../archive/pax-records.ts';
import { attributesIn, xattrList } from '../tree/xattr-list.ts';
import { refusedArchive, tooLargeArchive } from './refused-archive.ts';

const NANOSECONDS = 1_000_000_000n;
const TIME = /^(-?)(\d{1,12})(?:\.(\d*))?$/;
const TIME_MAX = 2n ** 63n - 1n;
const ID_MAX = 2 ** 32 - 2;
const ACL = 'SCHILY.acl.';
const CAPABILITY = 'security.capability';
/** Bytes of the attributes of one object, and of a name. */
const XATTRS_BYTES = 256 * 1024;
const NAME_BYTES = 255;

export interface ImportedAttributes {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Nanoseconds since 1970. */
  readonly mtime: bigint;
  /** In the form of `keeper-tree`. */
  readonly xattrs: Buffer;
  /** The archive has attributes of it in another form. */
  readonly lacksXattrs: boolean;
}

/** Whether a record of pax has a meaning for a checkpoint. */
export function keepsRecord(keyword: string): boolean {
  return keyword === UNREAD_RECORD || [XATTR, ACL, 'GNU.sparse.'].some((prefix) => keyword.startsWith(prefix));
}

/** @throws SandboxError `invalid` for numbers that no object has, `too_large` for attributes of over 256 KiB */
export function attributesOf(entry: TarEntry): ImportedAttributes {
  const { mode, uid, gid, records, type } = entry;
  for (const id of [uid, gid]) {
    if (!Number.isInteger(id) || id < 0 || id > ID_MAX) throw refusedArchive(`no account has the number ${id}`);
  }
  const hasOwn = type !== '2' && type !== '1';
  return {
    // Links have no other mode on Linux.
    mode: type === '2' ? 0o777 : mode,
    uid,
    gid,
    mtime: timeOf(entry),
    xattrs: hasOwn ? xattrsOf(records) : Buffer.alloc(0),
    lacksXattrs: hasOwn && [...records.keys()].some((key) => key.startsWith(ACL)),
  };
}

/** As makedev(3) of Linux puts them together. */
export function deviceNumber({ device: { major, minor } }: TarEntry): bigint {
  if (![major, minor].every((part) => Number.isInteger(part) && part >= 0 && part < 2 ** 32)) {
    throw refusedArchive('a device node has no number');
  }
  const [high, low] = [BigInt(major), BigInt(minor)];
  return ((high & 0xfffn) << 8n) | ((high & ~0xfffn) << 32n) | (low & 0xffn) | ((low & ~0xffn) << 12n);
}

/** What a key for files alone may import of an object: no file that runs as its owner, no file capabilities. */
export function withoutPrivileges(attributes: ImportedAttributes): ImportedAttributes {
  const xattrs = xattrList([...attributesIn(attributes.xattrs)].filter(([name]) => name !== CAPABILITY));
  return { ...attributes, mode: attributes.mode & 0o1777, xattrs };
}

function timeOf({ records, mtime }: TarEntry): bigint {
  const text = records.get('mtime')?.toString('latin1') || `${Math.trunc(mtime)}`;
  const [, sign, seconds, fraction = ''] = TIME.exec(text) ?? [];
  if (seconds === undefined) throw refusedArchive('a time cannot be read');
  const size = BigInt(seconds) * NANOSECONDS + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  if (size > TIME_MAX) throw refusedArchive('a time is not between the years 1677 and 2262');
  return sign === '' ? size : -size;
}

/** Attributes that a walk keeps; other names are the system's own. */
function xattrsOf(records: TarEntry['records']): Buffer {
  const found: [name: string, value: Buffer][] = [];
  for (const [key, value] of records) {
    if (!key.startsWith(XATTR)) continue;
    // GNU tar escapes both characters.
    const name = key.slice(XATTR.length).replaceAll('%3D', '=').replaceAll('%25', '%');
    const isKept = name.startsWith('user.') || name.startsWith('system.posix_acl_') || name === CAPABILITY;
    if (!isKept) continue;
    if (name.length > NAME_BYTES || name.includes('\0')) throw refusedArchive('the name of an attribute is not one');
    found.push([name, value]);
  }
  const list = xattrList(found);
  if (list.length > XATTRS_BYTES) throw tooLargeArchive(`an object with over ${XATTRS_BYTES} bytes of attributes`);
  return list;
}

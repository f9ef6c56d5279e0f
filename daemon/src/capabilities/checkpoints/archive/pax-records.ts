import { paxRecord } from '../../../core/files/tar/tar-header.ts';
import { attributesIn } from '../tree/xattr-list.ts';

const NANOSECONDS = 1_000_000_000n;
/** Extended attributes in archives of pax, as star, GNU tar and libarchive name them. */
export const XATTR = 'SCHILY.xattr.';
/** Paths of files without content, in a record of the root: NUL after each. */
export const UNREAD_RECORD = 'SVC.unread';

/** A time in seconds with its fraction. @param time nanoseconds since 1970 */
export function paxTime(time: bigint): string {
  const [sign, size] = time < 0n ? ['-', -time] : ['', time];
  return `${sign}${size / NANOSECONDS}.${(size % NANOSECONDS).toString().padStart(9, '0')}`;
}

/**
 * A record for each extended attribute. GNU tar escapes `=` and `%` in names.
 * @param list each a byte and the name, four bytes and the value (`docs/keeper.md`)
 */
export function xattrRecords(list: Uint8Array): Buffer[] {
  return Array.from(attributesIn(list), ([name, value]) => {
    const escaped = name.replaceAll('%', '%25').replaceAll('=', '%3D');
    return paxRecord(Buffer.from(`${XATTR}${escaped}`, 'latin1'), value);
  });
}

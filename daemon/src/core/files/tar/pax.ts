import { TarFault } from './tar-fault.ts';
import { BLOCK } from './tar-header.ts';

const [SIZE_AT, SIZE_END, TYPE_AT] = [124, 136, 156];
const [SPACE, NEWLINE] = [0x20, 0x0a];
/** Stands for all records of sparse files. */
export const SPARSE = 'GNU.sparse';
/** Records that a global header may not have: all entries would be one file. */
const OF_ONE = ['path', 'linkpath', 'size'];
/** Records with a meaning for every reader; of the others those are kept that it names. */
const KEPT: ReadonlySet<string> = new Set([...OF_ONE, 'uid', 'gid', 'mtime', SPARSE]);

/** Values are bytes: some archivers write names that are not UTF-8. */
export type PaxRecords = ReadonlyMap<string, Buffer>;

/** Whether records of a keyword are kept. */
export type KeepsRecord = (keyword: string) => boolean;

interface PaxHeaders {
  readonly own: PaxRecords;
  readonly global: PaxRecords;
}

/**
 * Records of the extended headers before an entry (POSIX.1-2024, pax): local, and global for all later entries.
 * Keywords are byte strings.
 * @throws TarFault for malformed records, because no record of an entry may be ignored
 */
export function paxRecords(headers: Buffer, keeps: KeepsRecord = () => false): PaxHeaders {
  const [own, global] = [new Map<string, Buffer>(), new Map<string, Buffer>()];
  for (let at = 0; at + BLOCK < headers.length; ) {
    const size = sizeIn(headers.toString('latin1', at + SIZE_AT, at + SIZE_END));
    const type = String.fromCharCode(headers[at + TYPE_AT] ?? 0);
    const body = headers.subarray(at + BLOCK, at + BLOCK + size);
    if (type === 'x') readInto(own, body, keeps);
    else if (type === 'g') readInto(global, body, keeps);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  const misplaced = OF_ONE.find((key) => global.has(key));
  if (misplaced !== undefined) throw new TarFault(`a header gives one ${misplaced} to all entries`);
  return { own, global };
}

function sizeIn(field: string): number {
  const [, digits] = /^ *([0-7]+)[ \0]*$/.exec(field) ?? [];
  if (digits === undefined) throw new TarFault('an extended header has no size');
  return Number.parseInt(digits, 8);
}

/** Records are `length key=value\n`, the length that of the whole record. */
function readInto(records: Map<string, Buffer>, body: Buffer, keeps: KeepsRecord): void {
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(SPACE, at);
    const digits = body.toString('latin1', at, Math.max(at, space));
    const end = at + Number.parseInt(digits, 10);
    const key = body.indexOf('=', space);
    const isWhole = /^[1-9]\d{0,9}$/.test(digits) && key > space + 1 && key < end && body[end - 1] === NEWLINE;
    if (!isWhole) throw new TarFault('an extended header is malformed');
    const name = body.toString('latin1', space + 1, key);
    const known = name.startsWith(SPARSE) ? SPARSE : name;
    const value = body.subarray(key + 1, end - 1);
    if (KEPT.has(known)) records.set(known, Buffer.from(value));
    if (keeps(name)) records.set(name, Buffer.from(value));
    at = end;
  }
}

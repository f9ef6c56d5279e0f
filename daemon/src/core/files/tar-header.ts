/** Bytes of a block; headers and bodies begin at multiples of it. */
export const BLOCK = 512;

const NAME = { at: 0, length: 100 };
const LINK = { at: 157, length: 100 };
const CHECKSUM = { at: 148, length: 8 };
const MAGIC_AT = 257;

/** Fields of one header (POSIX.1-2024 ustar, and GNU's forms of long values). */
export interface Header {
  /** One letter; `0` for a regular file. */
  readonly type: string;
  readonly name: Buffer;
  readonly link: Buffer;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Seconds. */
  readonly mtime: number;
}

/** Whether name and link fit into one header; longer ones need entries of their own before it. */
export function fits(text: Buffer): boolean {
  return text.length <= NAME.length;
}

/** Writes a header of GNU's form into a block. Name and link are cut to what fits. */
export function writeHeader(block: Buffer, { type, name, link, mode, uid, gid, size, mtime }: Header): void {
  block.fill(0, 0, BLOCK);
  name.copy(block, NAME.at, 0, NAME.length);
  link.copy(block, LINK.at, 0, LINK.length);
  writeNumber(block, 100, 8, mode);
  writeNumber(block, 108, 8, uid);
  writeNumber(block, 116, 8, gid);
  writeNumber(block, 124, 12, size);
  writeNumber(block, 136, 12, mtime);
  block.write(type, 156, 'latin1');
  block.write('ustar  \0', MAGIC_AT, 'latin1');
  block.fill(0x20, CHECKSUM.at, CHECKSUM.at + CHECKSUM.length);
  writeOctal(block, CHECKSUM.at, 6, checksumOf(block));
  block[CHECKSUM.at + 6] = 0;
}

function writeNumber(block: Buffer, at: number, length: number, value: number): void {
  if (value >= 0 && value < 8 ** (length - 1)) {
    writeOctal(block, at, length - 1, value);
    return;
  }
  let rest = BigInt.asUintN((length - 1) * 8, BigInt(Math.trunc(value)));
  for (let index = at + length - 1; index > at; index -= 1) {
    block[index] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  block[at] = value < 0 ? 0xff : 0x80;
}

function writeOctal(block: Buffer, at: number, digits: number, value: number): void {
  let rest = value;
  for (let index = at + digits - 1; index >= at; index -= 1) {
    block[index] = 0x30 + (rest % 8);
    rest = Math.floor(rest / 8);
  }
}

/** The sum of all bytes, with spaces in place of the checksum. */
function checksumOf(block: Buffer): number {
  let sum = 0;
  for (let at = 0; at < BLOCK; at += 1) sum += block[at] ?? 0;
  return sum;
}

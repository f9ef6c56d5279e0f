/** Bytes of a block; everything in an archive begins at a multiple of it. */
export const BLOCK = 512;

const NAME = { at: 0, length: 100 };
const LINK = { at: 157, length: 100 };
const PREFIX = { at: 345, length: 155 };
const CHECKSUM = { at: 148, length: 8 };
const MAGIC_AT = 257;

/** What one header says (POSIX.1-2024 ustar, and the forms of GNU for long values). */
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

/** A block that is no header. */
export class TarFault extends Error {}

/** @throws TarFault where the block is no header */
export function parseHeader(block: Buffer): Header {
  const sum = numberIn(block, CHECKSUM.at, CHECKSUM.length);
  const [unsigned, signed] = checksumsOf(block);
  if (sum !== unsigned && sum !== signed) throw new TarFault('a header has a wrong checksum');
  const name = textIn(block, NAME.at, NAME.length);
  const isUstar = block.toString('latin1', MAGIC_AT, MAGIC_AT + 6) === 'ustar\0';
  const prefix = isUstar ? textIn(block, PREFIX.at, PREFIX.length) : Buffer.alloc(0);
  const type = String.fromCharCode(block[156] || 0x30);
  return {
    type: type === '7' ? '0' : type,
    name: prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : name,
    link: textIn(block, LINK.at, LINK.length),
    mode: numberIn(block, 100, 8) & 0o7777,
    uid: numberIn(block, 108, 8),
    gid: numberIn(block, 116, 8),
    size: numberIn(block, 124, 12),
    mtime: numberIn(block, 136, 12),
  };
}

export function isZero(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}

/** Whether name and link fit into one header; longer ones go before it, in blocks of their own. */
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
  writeOctal(block, CHECKSUM.at, 6, checksumsOf(block)[0]);
  block[CHECKSUM.at + 6] = 0;
}

function textIn(block: Buffer, at: number, length: number): Buffer {
  const end = block.indexOf(0, at);
  return Buffer.from(block.subarray(at, end < 0 || end > at + length ? at + length : end));
}

/** Octal digits, or where those do not suffice, the number itself with the first bit set (GNU). */
function numberIn(block: Buffer, at: number, length: number): number {
  const first = block[at] ?? 0;
  if (first & 0x80) return binaryIn(block, at, length);
  const digits = block
    .toString('latin1', at, at + length)
    .replace(/[\0 ].*$/s, (rest) => (rest.trim() === '' ? '' : rest));
  const [octal = ''] = /[0-7]+/.exec(digits) ?? [];
  const value = octal === '' ? 0 : Number.parseInt(octal, 8);
  if (!Number.isSafeInteger(value)) throw new TarFault('a number of a header is out of range');
  return value;
}

function binaryIn(block: Buffer, at: number, length: number): number {
  const isNegative = block[at] === 0xff;
  let value = isNegative ? -1n : 0n;
  if (!isNegative) value = BigInt((block[at] ?? 0) & 0x7f);
  for (let index = at + 1; index < at + length; index += 1) value = (value << 8n) | BigInt(block[index] ?? 0);
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new TarFault('a number of a header is out of range');
  return number;
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

/** Sums of all bytes, the checksum itself taken as spaces; old archivers took bytes as signed. */
function checksumsOf(block: Buffer): [unsigned: number, signed: number] {
  let [unsigned, signed] = [0, 0];
  for (let at = 0; at < BLOCK; at += 1) {
    const byte = at >= CHECKSUM.at && at < CHECKSUM.at + CHECKSUM.length ? 0x20 : (block[at] ?? 0);
    unsigned += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  return [unsigned, signed];
}

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
  /** Its magic is that of POSIX, after which GNU tar reads sparse files by pax; else that of GNU. */
  readonly isPosix?: boolean | undefined;
  /** Of a device node. */
  readonly device?: { readonly major: number; readonly minor: number } | undefined;
}

/** Whether name and link fit into one header; longer ones need entries of their own before it. */
export function fits(text: Buffer): boolean {
  return text.length <= NAME.length;
}

/** A record of a pax header: its length in bytes, which counts its own digits, then `keyword=value` and a newline. */
export function paxRecord(keyword: Uint8Array | string, value: Uint8Array | string): Buffer {
  const rest = Buffer.concat([
    Buffer.from(' '),
    Buffer.from(keyword),
    Buffer.from('='),
    Buffer.from(value),
    Buffer.from('\n'),
  ]);
  let length = rest.length + 1;
  while (`${length}`.length + rest.length !== length) length = `${length}`.length + rest.length;
  return Buffer.concat([Buffer.from(`${length}`), rest]);
}

/** Writes a header into a block, with numbers beyond octal digits in GNU's form. Name and link are cut to what fits. */
export function writeHeader(block: Buffer, header: Header): void {
  const { type, name, link, mode, uid, gid, size, mtime, isPosix, device } = header;
  block.fill(0, 0, BLOCK);
  name.copy(block, NAME.at, 0, NAME.length);
  link.copy(block, LINK.at, 0, LINK.length);
  writeNumber(block, 100, 8, mode);
  writeNumber(block, 108, 8, uid);
  writeNumber(block, 116, 8, gid);
  writeNumber(block, 124, 12, size);
  writeNumber(block, 136, 12, mtime);
  block.write(type, 156, 'latin1');
  block.write(isPosix ? 'ustar\x0000' : 'ustar  \0', MAGIC_AT, 'latin1');
  if (device) {
    writeNumber(block, 329, 8, device.major);
    writeNumber(block, 337, 8, device.minor);
  }
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

import { isAscii, isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { isTurnSpent, yieldToEventLoop } from '../../core/turns.ts';
import { Raised } from './answers.ts';

/** Bytes that are looked at in one piece. */
const PIECE_BYTES = 64 * 1024;
/** Bytes of the longest character, and of the longest text that stands for a byte. */
const MOST_BYTES = 4;

/** Bytes of the character that begins there; 0 if none does. */
type LengthAt = (bytes: Buffer, at: number) => number;

/** Text of UTF-8; other bytes are written as `\xNN`. */
export async function escaped(bytes: Buffer): Promise<string> {
  return isUtf8(bytes) ? bytes.toString('utf8') : await joined(piecesOf(bytes, utf8At, HEX));
}

/** @param replaced what stands for each byte with which no character begins */
function* piecesOf(bytes: Buffer, lengthAt: LengthAt, replaced: readonly Buffer[]): Generator<string> {
  const out = Buffer.alloc(MOST_BYTES * PIECE_BYTES);
  for (let at = 0; at < bytes.length; ) {
    let used = 0;
    for (const end = Math.min(bytes.length, at + PIECE_BYTES - MOST_BYTES); at < end; ) {
      const length = lengthAt(bytes, at);
      if (length === 0) used += replaced[bytes.readUInt8(at)]?.copy(out, used) ?? 0;
      for (let n = 0; n < length; n += 1) used = out.writeUInt8(bytes.readUInt8(at + n), used);
      at += length || 1;
    }
    yield out.toString('utf8', 0, used);
  }
}

/** As the Encoding Standard and Python replace: a character that is cut has one mark. */
function* decodedPieces(bytes: Buffer, encoding: 'utf8' | 'latin1'): Generator<string> {
  const decoder = new StringDecoder(encoding);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield decoder.write(bytes.subarray(at, at + PIECE_BYTES));
  yield decoder.end();
}

async function joined(pieces: Iterable<string>): Promise<string> {
  const all: string[] = [];
  for (const piece of pieces) {
    all.push(piece);
    if (isTurnSpent()) await yieldToEventLoop();
  }
  return all.join('');
}

/** With line breaks as Python's text files have them, also of one that two pieces have. */
function* linesOf(pieces: Iterable<string>): Generator<string> {
  let isAfterReturn = false;
  for (const piece of pieces) {
    const rest = isAfterReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') isAfterReturn = piece.endsWith('\r');
    yield rest.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  }
}

function forEachByte(replacement: (byte: number) => string): readonly Buffer[] {
  return Array.from({ length: 256 }, (_, byte) => Buffer.from(replacement(byte)));
}

const HEX = forEachByte((byte) => `\\x${byte.toString(16).padStart(2, '0')}`);

function utf8At(bytes: Buffer, at: number): number {
  const lead = bytes.readUInt8(at);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

function asciiAt(bytes: Buffer, at: number): number {
  return bytes.readUInt8(at) < 0x80 ? 1 : 0;
}

/** What stands for a byte that is not of the encoding, by the name of the error handler of Python. */
const REPLACED = new Map([
  ['backslashreplace', HEX],
  ['ignore', forEachByte(() => '')],
  ['replace', forEachByte(() => '\ufffd')],
]);

/** As Python reads a text file. @throws Raised */
export async function decoded(bytes: Buffer, encoding: string, errors: string): Promise<string> {
  return await joined(linesOf(charactersOf(bytes, encoding, errors)));
}

function charactersOf(bytes: Buffer, encoding: string, errors: string): Generator<string> {
  const name = encoding.toLowerCase().replaceAll('_', '-');
  if (['latin-1', 'latin1', 'iso-8859-1'].includes(name)) return decodedPieces(bytes, 'latin1');
  const isAsciiWanted = name === 'ascii' || name === 'us-ascii';
  if (!isAsciiWanted && name !== 'utf-8' && name !== 'utf8') {
    throw new Raised('LookupError', `unknown encoding: ${encoding}`);
  }
  const isGood = isAsciiWanted ? isAscii(bytes) : isUtf8(bytes);
  if (isGood || (errors === 'replace' && !isAsciiWanted)) return decodedPieces(bytes, 'utf8');
  if (errors === 'strict') {
    throw new Raised('ValueError', `the file is not ${encoding}: use errors=replace, or another encoding`);
  }
  const replaced = REPLACED.get(errors);
  if (!replaced) throw new Raised('LookupError', `unknown error handler name '${errors}'`);
  return piecesOf(bytes, isAsciiWanted ? asciiAt : utf8At, replaced);
}

/** As `repr` of Python shows a text. */
export function shown(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return `${quote}${quote === "'" ? inside.replaceAll("'", "\\'") : inside}${quote}`;
}

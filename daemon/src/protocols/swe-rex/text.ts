import { isUtf8 } from 'node:buffer';
import { Raised } from './answers.ts';

/** Text of UTF-8; other bytes are written as `\xNN`. */
export function escaped(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at);
    text += length === 0 ? `\\x${bytes.toString('hex', at, at + 1)}` : bytes.toString('utf8', at, at + length);
    at += length || 1;
  }
  return text;
}

/** Bytes of the character that begins there; 0 if none does. */
function lengthAt(bytes: Buffer, at: number): number {
  for (const length of [1, 2, 3, 4]) {
    if (at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}

/** As Python reads a text file. @throws Raised */
export function decoded(bytes: Buffer, encoding: string, errors: string): string {
  const name = encoding.toLowerCase().replaceAll('_', '-');
  if (['latin-1', 'latin1', 'iso-8859-1'].includes(name)) return linesOf(bytes.toString('latin1'));
  const isAscii = name === 'ascii' || name === 'us-ascii';
  if (!isAscii && name !== 'utf-8' && name !== 'utf8') {
    throw new Raised('LookupError', `unknown encoding: ${encoding}`);
  }
  const isGood = isAscii ? !bytes.some((byte) => byte > 127) : isUtf8(bytes);
  if (isGood) return linesOf(bytes.toString('utf8'));
  if (errors === 'backslashreplace' && !isAscii) return linesOf(escaped(bytes));
  if (errors === 'replace' && !isAscii) return linesOf(bytes.toString('utf8'));
  if (errors === 'ignore')
    return linesOf(isAscii ? asciiOf(bytes) : escaped(bytes).replaceAll(/\\x[89a-f][0-9a-f]/g, ''));
  throw new Raised('ValueError', `the file is not ${encoding}: use errors=replace, or another encoding`);
}

function asciiOf(bytes: Buffer): string {
  return Buffer.from(bytes.filter((byte) => byte < 128)).toString('latin1');
}

function linesOf(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
}

/** As `repr` of Python shows a text. */
export function shown(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return `${quote}${quote === "'" ? inside.replaceAll("'", "\\'") : inside}${quote}`;
}

import { isUtf8 } from 'node:buffer';
import type { Difference } from '../tree/compare.ts';

const NOTHING = '/dev/null';
const QUOTED: Readonly<Record<string, string>> = {
  '\u0007': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\u000b': 'v',
  '\f': 'f',
  '\r': 'r',
  '"': '"',
  '\\': '\\',
};

/**
 * The lines that name both files of a unified text, as git and patch read them: names with control characters, and those
 * that are not UTF-8, are quoted as strings of C.
 * @param path a byte string
 */
export function namesOfFiles(path: string, { before, after }: Pick<Difference, 'before' | 'after'>): string {
  return `--- ${before ? shown(`a/${path}`) : NOTHING}\n+++ ${after ? shown(`b/${path}`) : NOTHING}\n`;
}

/** A tab after a name with a space: without it patch takes the space for the end of the name. */
function shown(path: string): string {
  const bytes = Buffer.from(path, 'latin1');
  const text = bytes.toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be quoted
  if (isUtf8(bytes) && !/[\u0000-\u001f\u007f"\\]/.test(text)) return text.includes(' ') ? `${text}\t` : text;
  const quoted = Array.from(path, (byte) => {
    const letter = QUOTED[byte];
    if (letter !== undefined) return `\\${letter}`;
    return byte < ' ' || byte > '~' ? `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}` : byte;
  });
  return `"${quoted.join('')}"`;
}

const NUL = 0;
const NEWLINE = 0x0a;
const BOTH_NOTES = 'binary file';
const WARNING = ': WARNING: stopped searching ';
const MATCHES = ': ';
const MATCH_WORDS = `${BOTH_NOTES} matches`;

export interface BinaryNotice {
  /** In latin1. */
  readonly path: string;
  /** Bytes up to and with the newline. */
  readonly length: number;
}

/**
 * ripgrep's note about a file with a NUL byte after matches, at the beginning of `data`: `path: WARNING: stopped
 * searching binary file …` or `path: binary file matches …`. The time is linear in the length up to the note.
 */
export function binaryNotice(data: Buffer): BinaryNotice | undefined {
  for (let at = data.indexOf(BOTH_NOTES); at >= 0; at = data.indexOf(BOTH_NOTES, at + 1)) {
    const pathEnd = noteStart(data, at);
    if (pathEnd === undefined) continue;
    const newline = data.indexOf(NEWLINE, at);
    const path = data.subarray(0, pathEnd);
    if (newline < 0 || path.includes(NUL)) return undefined;
    return { path: path.toString('latin1'), length: newline + 1 };
  }
  return undefined;
}

/** Where the note with these words begins. */
function noteStart(data: Buffer, words: number): number | undefined {
  if (endsWith(data, words, WARNING)) return words - WARNING.length;
  const isMatch = data.toString('latin1', words, words + MATCH_WORDS.length) === MATCH_WORDS;
  return isMatch && endsWith(data, words, MATCHES) ? words - MATCHES.length : undefined;
}

function endsWith(data: Buffer, end: number, text: string): boolean {
  return data.toString('latin1', Math.max(0, end - text.length), end) === text;
}

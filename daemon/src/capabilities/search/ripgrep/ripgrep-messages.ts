import type { ByteName } from '../../../core/files/byte-name.ts';

/** Text as ripgrep's JSON has it: as it is, or its bytes where they are not UTF-8. */
type Text = { readonly text: string } | { readonly bytes: string } | { readonly raw: Buffer };

interface Lines {
  readonly path: Text;
  readonly lines: Text;
  readonly line_number: number;
  /** Offsets are bytes of `lines`. */
  readonly submatches: readonly { readonly start: number; readonly end: number }[];
}

/** What `rg --json` writes, a line each; `submatches` is empty where it was not asked for. */
export type Message =
  | { readonly type: 'begin'; readonly data: { readonly path: Text } }
  | { readonly type: 'match' | 'context'; readonly data: Lines }
  | { readonly type: 'end'; readonly data: { readonly path: Text; readonly binary_offset: number | null } }
  | { readonly type: 'summary'; readonly filesSearched?: number }
  /** Of ours: a line was too long to be taken. */
  | { readonly type: 'oversize' };

export function bytesOfText(text: Text): Buffer {
  if ('raw' in text) return text.raw;
  return 'text' in text ? Buffer.from(text.text) : Buffer.from(text.bytes, 'base64');
}

/** As a path relative to where ripgrep ran, which it begins with `./`. */
export function nameOfText(text: Text): ByteName {
  const name = bytesOfText(text).toString('latin1');
  return name.startsWith('./') ? name.slice(2) : name;
}

import type { ByteName } from '../../../core/files/byte-name.ts';

/** Text in ripgrep's JSON: as text, or as bytes in base64 if it is not UTF-8. */
type Text = { readonly text: string } | { readonly bytes: string } | { readonly raw: Buffer };

interface Lines {
  readonly path: Text;
  readonly lines: Text;
  readonly line_number: number;
  /** Offsets are bytes of `lines`. */
  readonly submatches: readonly { readonly start: number; readonly end: number }[];
}

/** The messages of `rg --json`, one a line; `submatches` is empty if it was not requested. */
export type Message =
  | { readonly type: 'begin'; readonly data: { readonly path: Text } }
  | { readonly type: 'match' | 'context'; readonly data: Lines }
  | { readonly type: 'end'; readonly data: { readonly path: Text; readonly binary_offset: number | null } }
  | { readonly type: 'summary'; readonly filesSearched?: number }
  /** Added by the daemon: a line was longer than the bound. `isLast`: the search cannot continue behind it. */
  | { readonly type: 'oversize'; readonly isLast: boolean };

export function bytesOfText(text: Text): Buffer {
  if ('raw' in text) return text.raw;
  return 'text' in text ? Buffer.from(text.text) : Buffer.from(text.bytes, 'base64');
}

/** The path relative to ripgrep's working directory, without the leading `./`. */
export function nameOfText(text: Text): ByteName {
  const name = bytesOfText(text).toString('latin1');
  return name.startsWith('./') ? name.slice(2) : name;
}

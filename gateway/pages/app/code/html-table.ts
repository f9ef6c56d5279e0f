/** Cells of a row; `isHead` for `th`. */
export type TableRow = readonly { readonly text: string; readonly isHead: boolean }[];

const ROWS_MAX = 500;
/** Characters that are read, so that drawing is a short task. */
const LENGTH_MAX = 200_000;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/**
 * The rows of the first table in HTML, as text: the policy of the page lets no text become markup.
 * @returns undefined if there is none
 */
export function tableIn(html: string): readonly TableRow[] | undefined {
  const start = html.search(/<table[\s>]/i);
  if (start < 0) return undefined;
  const end = html.indexOf('</table', start);
  const reader = new TableReader();
  // A tag, or the text to the next one.
  for (const [piece] of html
    .slice(start, Math.min(end < 0 ? html.length : end, start + LENGTH_MAX))
    .matchAll(/<[^<>]*>|[^<]+|</g)) {
    reader.take(piece);
    if (reader.rows.length > ROWS_MAX) break;
  }
  const rows = reader.rows.slice(0, ROWS_MAX).filter((row) => row.length > 0);
  return rows.length === 0
    ? undefined
    : rows.map((row) => row.map(({ text, isHead }) => ({ text: decoded(text).trim(), isHead })));
}

class TableReader {
  readonly rows: { text: string; isHead: boolean }[][] = [];
  #cell: { text: string; isHead: boolean } | undefined;

  take(piece: string): void {
    const [, close, name = ''] = /^<(\/?)([a-z]+)/i.exec(piece) ?? [];
    const tag = name.toLowerCase();
    if (tag === 'tr' && close === '') this.rows.push([]);
    else if (tag === 'td' || tag === 'th') this.#cell = close === '' ? this.#begin(tag === 'th') : undefined;
    else if (tag === '' && this.#cell) this.#cell.text += piece;
  }

  #begin(isHead: boolean): { text: string; isHead: boolean } {
    const cell = { text: '', isHead };
    this.rows.at(-1)?.push(cell);
    return cell;
  }
}

function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    return ENTITIES[String(name).toLowerCase()] ?? whole;
  });
}

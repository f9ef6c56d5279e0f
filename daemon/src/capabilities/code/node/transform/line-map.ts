import { SourceMap, type SourceMapPayload } from 'node:module';

const INLINE_MAP = '//# sourceMappingURL=data:application/json;base64,';

/** Code without the source map at its end, and the line of its author for each of its lines, both from 1 on. */
export function linesOf(transformed: string): { readonly code: string; readonly lines: readonly number[] } {
  const at = transformed.lastIndexOf(INLINE_MAP);
  const code = at < 0 ? transformed : transformed.slice(0, at);
  const texts = code.split('\n');
  if (at < 0) return { code, lines: texts.map((_, line) => line + 1) };
  const payload = JSON.parse(
    Buffer.from(transformed.slice(at + INLINE_MAP.length).trim(), 'base64').toString('utf8'),
  ) as SourceMapPayload;
  const map = new SourceMap(payload);
  let known = 1;
  const lines: number[] = [];
  for (const [line, text] of texts.entries()) {
    const entry = map.findEntry(line, Math.max(0, text.search(/\S/)));
    if ('originalLine' in entry) known = entry.originalLine + 1;
    lines.push(known);
  }
  return { code, lines };
}

/** The text with the lines of a script, as stack frames name them, replaced by those of its author. */
export function withAuthorsLines(text: string, script: string, lines: readonly number[]): string {
  const parts = text.split(`${script}:`);
  const [first = '', ...rest] = parts;
  return rest.reduce((done, part) => {
    const digits = /^\d{1,9}/.exec(part)?.[0];
    const line = digits === undefined ? undefined : lines[Number(digits) - 1];
    return `${done}${script}:${line === undefined ? part : `${line}${part.slice(digits?.length)}`}`;
  }, first);
}

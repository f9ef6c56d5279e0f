import type { PageLine } from './page-walk.ts';

/** A line of a snapshot: `- button "Send" [disabled] [ref=e12]`. Indentation shows what is within what. */
export function writeLine({ d, r, n, s = [], v, u, t }: PageLine, depth: number, ref: string | undefined): string {
  const indentation = '  '.repeat(depth + d);
  if (r === 'text') return `${indentation}- text: ${oneLine(n ?? '')}`;
  const name = n === undefined ? '' : ` ${JSON.stringify(n)}`;
  const states = s.map((state) => ` [${state}]`).join('');
  const reference = ref === undefined ? '' : ` [ref=${ref}]`;
  const address = u === undefined ? '' : ` -> ${oneLine(u)}`;
  const value = v === undefined ? '' : `: ${JSON.stringify(v)}`;
  const text = t === undefined ? '' : `: ${oneLine(t)}`;
  return `${indentation}- ${r}${name}${states}${reference}${address}${value}${text}`;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]/g, ' ');
}

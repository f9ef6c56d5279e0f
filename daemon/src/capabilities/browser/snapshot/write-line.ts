import type { PageLine } from './page-walk.ts';

/** The reference of a line. */
type RefOf = (line: PageLine) => string | undefined;

/**
 * A line of a snapshot: `- button "Send" [disabled] [ref=e12]`. Indentation shows what is within what; what can be acted
 * on within a paragraph stands in braces.
 */
export function writeLine(line: PageLine, depth: number, refOf: RefOf): string {
  const indentation = '  '.repeat(depth + line.d);
  if (line.r === 'text') return `${indentation}- text: ${oneLine(line.n ?? '')}`;
  const parts = line.p === undefined ? '' : `: ${sentence(line.p, refOf)}`;
  return `${indentation}- ${described(line, refOf)}${parts}`;
}

function described(line: PageLine, refOf: RefOf): string {
  const { r, n, s = [], v, u } = line;
  const ref = refOf(line);
  const name = n === undefined ? '' : ` ${JSON.stringify(n)}`;
  const states = s.map((state) => ` [${state}]`).join('');
  const reference = ref === undefined ? '' : ` [ref=${ref}]`;
  const address = u === undefined ? '' : ` -> ${oneLine(u)}`;
  const value = v === undefined ? '' : `: ${JSON.stringify(v)}`;
  return `${r}${name}${states}${reference}${address}${value}`;
}

function sentence(parts: readonly (string | PageLine)[], refOf: RefOf): string {
  const words = parts.map((part) => (typeof part === 'string' ? oneLine(part) : `{${described(part, refOf)}}`));
  return words.reduce((text, word) => (/^[.,;:!?)]/.test(word) ? `${text}${word}` : `${text} ${word}`));
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]/g, ' ');
}

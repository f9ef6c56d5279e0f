/** Lines before and after an edit in its answer. */
const CONTEXT_LINES = 4;

const NEWLINE = 0x0a;
const NUMBER_WIDTH = 6;

/**
 * Lines numbered as by `cat -n`, beginning with the number `first`. It works on bytes: an array of all lines, or of the
 * parts of a replacement, would take a multiple of a large text.
 */
function numbered(text: string, first = 1): string {
  const source = Buffer.from(text);
  const count = lineCountOf(source);
  const widest = Math.max(NUMBER_WIDTH, String(first + count).length) + 1;
  const output = Buffer.allocUnsafe(source.length + count * widest);
  let end = 0;
  for (let start = 0, number = first; number < first + count; number += 1) {
    const newline = source.indexOf(NEWLINE, start);
    const next = newline < 0 ? source.length : newline + 1;
    end += output.write(`${String(number).padStart(NUMBER_WIDTH)}\t`, end, 'latin1');
    end += source.copy(output, end, start, next);
    start = next;
  }
  return output.toString('utf8', 0, end);
}

/** Lines as `split` counts them: what follows the last newline is one, also if it is empty. */
function lineCountOf(text: Buffer): number {
  let count = 1;
  for (let at = text.indexOf(NEWLINE); at >= 0; at = text.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Characters of a text with numbered lines, at most. */
export function numberedLength(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return text.length + count * (Math.max(NUMBER_WIDTH, String(count).length) + 1);
}

/** The sentence that clients of 1.x show to their model, then the numbered lines. */
export function numberedOutput(text: string, description: string, first = 1): string {
  return `Here's the result of running \`cat -n\` on ${description}:\n${numbered(text, first)}\n`;
}

/** Lines around an edit after `line` lines with `added` newlines, and the number of the first of them. */
export function around(content: string, line: number, added: number): { text: string; first: number } {
  const lines = content.split('\n');
  const from = Math.max(0, line - CONTEXT_LINES);
  return { text: lines.slice(from, line + CONTEXT_LINES + added + 1).join('\n'), first: from + 1 };
}

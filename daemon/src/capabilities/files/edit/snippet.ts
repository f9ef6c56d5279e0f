/** Lines before and after an edit in its answer. */
const CONTEXT_LINES = 4;

/** Lines numbered as by `cat -n`, beginning with the number `first`. */
function numbered(text: string, first = 1): string {
  return text
    .split('\n')
    .map((line, index) => `${String(index + first).padStart(6)}\t${line}`)
    .join('\n');
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

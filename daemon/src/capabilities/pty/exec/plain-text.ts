/** CSI, OSC (ended by BEL or ST), DCS, SOS, PM and APC (ended by ST), other escape sequences (ECMA-48 §5). */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters.
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\|$)|[PX^_][^\x1b]*(?:\x1b\\|$)|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters.
const CONTROLS = /[\x00-\x07\x0b\x0c\x0e-\x1f\x7f]/g;

/** Terminal output as text: no escape sequences, lines end in LF, an overwritten line has its last form. */
export function plainText(output: string): string {
  const text = output.replaceAll(ESCAPES, '').replaceAll(CONTROLS, '');
  if (!/[\r\b]/.test(text)) return text;
  const lines = text.split('\n');
  return lines.map((line, i) => overwritten(i < lines.length - 1 ? withoutReturns(line) : line)).join('\n');
}

/** The line without the carriage returns at its end. */
function withoutReturns(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(0, end);
}

function overwritten(line: string): string {
  if (!/[\r\b]/.test(line)) return line;
  const cells: string[] = [];
  let at = 0;
  for (const character of line) {
    if (character === '\r') at = 0;
    else if (character === '\b') at = Math.max(0, at - 1);
    else cells[at++] = character;
  }
  return cells.join('');
}

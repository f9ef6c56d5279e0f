/** CSI, OSC, DCS and its kin (ended by BEL or ST), other escapes (ECMA-48 §5). */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about.
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\|$)|[PX^_][^\x1b]*(?:\x1b\\|$)|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about.
const CONTROLS = /[\x00-\x07\x0b\x0c\x0e-\x1f\x7f]/g;

/** What a program wrote to its terminal, as text: without escapes, lines ended by LF, and of a line that was written over its last form. */
export function plainText(output: string): string {
  const text = output.replaceAll(ESCAPES, '').replaceAll(/\r+\n/g, '\n').replaceAll(CONTROLS, '');
  return /[\r\b]/.test(text) ? text.split('\n').map(overwritten).join('\n') : text;
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

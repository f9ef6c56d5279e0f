/** CSI, OSC (ended by BEL or ST), DCS, SOS, PM and APC (ended by ST), other escape sequences (ECMA-48 §5). */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters.
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\|$)|[PX^_][^\x1b]*(?:\x1b\\|$)|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters.
const CONTROLS = /[\x00-\x07\x0b\x0c\x0e-\x1f\x7f]/g;

/** Terminal output as text: no escape sequences, lines end in LF, an overwritten line has its last form. */
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

/** A name of the sandbox for a terminal, which would obey its control characters. */
export function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (unit) => `\\x${unit.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

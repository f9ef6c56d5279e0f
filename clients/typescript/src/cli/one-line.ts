/** A name of the sandbox for a terminal, which would obey its control characters. */
export function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, escaped);
}

/** As `oneLine`, for text that may have lines and tabs. */
export function printable(text: string): string {
  return text.replaceAll(/(?![\n\t])\p{Cc}/gu, escaped);
}

/** JSON without the control characters that `JSON.stringify` leaves as they are. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\u007f-\u009f]/g, (unit) => `\\u00${hexOf(unit)}`);
}

function escaped(unit: string): string {
  return `\\x${hexOf(unit)}`;
}

function hexOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(2, '0');
}

/**
 * The first characters of a text, at most `most`, as a string of its own. A slice of a long string refers to the whole
 * of it, which then stays in memory as long as the slice: what is kept of a text from outside is taken by this.
 */
export function textBeginning(text: string, most: number): string {
  return text.length <= most ? text : ownCopy(text.slice(0, most));
}

/** Through JSON, which keeps halves of surrogate pairs and the size of a character in memory. */
function ownCopy(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

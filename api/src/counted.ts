const IRREGULAR: Readonly<Record<string, string>> = { match: 'matches', entry: 'entries' };

/** A number with its noun: `1 tab`, `2 tabs`, `0 matches`. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : (IRREGULAR[noun] ?? `${noun}s`)}`;
}
